import Testing

@testable import SimpleFutures
@testable import TestSupport

@Suite("CancelToken: every interleaving", .watchdog)
struct CancelTokenStateTests {
    @Test func `two threads cancel it, one adds and removes handlers`() throws {
        let orders = try everyOrder {
            let scene = TokenScene()
            let token = scene.token()
            let before = Player("before")
            let handlers = [scene.handles(before, token), scene.handles(before, token)]
            before.takeAllSteps()
            scene.cancels(scene.player("one"), token)
            scene.cancels(scene.player("two"), token)
            let user = scene.player("user")
            scene.handles(user, token)
            scene.removes(user, handlers[1])
            return scene
        }
        #expect(orders == 178)
    }

    @Test func `one thread cancels it, one delivers, one unsubscribes`() throws {
        let orders = try everyOrder {
            let scene = TokenScene()
            let token = scene.token()
            let before = Player("before")
            let old = scene.links(before, token)
            before.takeAllSteps()
            scene.cancels(scene.player("canceller"), token)
            let user = scene.player("user")
            let new = scene.links(user, token)
            scene.claims(user, new, token)
            scene.claims(user, old, token)
            scene.removes(scene.player("other"), old, token)
            return scene
        }
        #expect(orders == 144)
    }

    @Test func `one thread makes a child, one cancels the parent, one cancels the child`() throws {
        let orders = try everyOrder {
            let scene = TokenScene()
            let (parent, child) = (scene.token(), scene.token())
            let before = Player("before")
            scene.handles(before, child)
            before.takeAllSteps()
            scene.follows(scene.player("maker"), child, parent)
            scene.cancels(scene.player("canceller"), parent)
            scene.cancels(scene.player("other"), child)
            return scene
        }
        #expect(orders == 1_400)
    }

    @Test func `two threads cancel the parents of one token`() throws {
        let orders = try everyOrder {
            let scene = TokenScene()
            let (left, right) = (scene.token(), scene.token())
            let child = scene.token(below: left, right)
            let before = Player("before")
            scene.handles(before, child)
            before.takeAllSteps()
            scene.cancels(scene.player("left"), left)
            scene.cancels(scene.player("right"), right)
            return scene
        }
        #expect(orders == 516)
    }

    @Test func `one thread makes a child of two parents, one cancels one of the parents`() throws {
        let orders = try everyOrder {
            let scene = TokenScene()
            let (left, right, child) = (scene.token(), scene.token(), scene.token())
            let maker = scene.player("maker")
            scene.follows(maker, child, left)
            scene.follows(maker, child, right)
            scene.handles(maker, child)
            scene.cancels(scene.player("canceller"), left)
            return scene
        }
        #expect(orders == 946)
    }

    @Test func `one thread drops a child, one removes its handler, one cancels the parent`() throws {
        let orders = try everyOrder {
            let scene = TokenScene()
            let parent = scene.token()
            let child = scene.token(below: parent)
            let grandchild = scene.token(below: child)
            let before = Player("before")
            let handler = scene.handles(before, grandchild)
            scene.drops(before, child)
            before.takeAllSteps()
            scene.drops(scene.player("dropper"), grandchild)
            scene.removes(scene.player("user"), handler)
            scene.cancels(scene.player("canceller"), parent)
            return scene
        }
        #expect(orders == 1_942)
    }

    @Test func `two threads drop a chain of children, one removes the last one's handler`() throws {
        let orders = try everyOrder {
            let scene = TokenScene()
            let parent = scene.token()
            let child = scene.token(below: parent)
            let grandchild = scene.token(below: child, parent)
            let before = Player("before")
            let handler = scene.handles(before, grandchild)
            before.takeAllSteps()
            scene.drops(scene.player("one"), grandchild)
            scene.drops(scene.player("two"), child)
            scene.removes(scene.player("user"), handler)
            return scene
        }
        #expect(orders == 10)
    }
}
