import Testing

@testable import SimpleFutures
@testable import TestSupport

@Suite("CancelToken: every order of steps", .watchdog)
struct CancelTokenStateTests {
    @Test func `two threads that cancel it and one that adds and removes handlers`() throws {
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

    @Test func `one thread that cancels it, one that delivers and one that unsubscribes`() throws {
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

    @Test func `one thread that makes a child, one that cancels the parent and one that cancels the child`() throws {
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

    @Test func `two threads that cancel the parents of one token`() throws {
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

    @Test func `one thread that makes a child of two and one that cancels one of these`() throws {
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

    @Test func `one thread that drops a child, one that removes its handler and one that cancels the parent`() throws {
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

    @Test func `two threads that drop a line of children and one that removes the handler of the last`() throws {
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
