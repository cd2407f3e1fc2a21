import Testing

@testable import SimpleFutures
@testable import TestSupport

typealias TokenStory = Story<TokenScene, Never>

@Suite("CancelToken: every interleaving", .watchdog)
struct CancelTokenStateTests {
    @Test(arguments: stories)
    func `its guarantees hold in every order of steps`(_ story: TokenStory) throws {
        let orders = try story.tryEveryOrder()
        #expect(orders == story.orders)
    }
}

private let stories: [TokenStory] = [
    .init("two threads cancel it, one adds and removes handlers", orders: 178, on: TokenScene()) { scene in
        let token = scene.token()
        let handlers = scene.before { [scene.handles($0, token), scene.handles($0, token)] }
        scene.cancels(scene["one"], token)
        scene.cancels(scene["two"], token)
        scene.handles(scene["user"], token)
        scene.removes(scene["user"], handlers[1])
    },
    .init("one thread cancels it, one delivers, one unsubscribes", orders: 60, on: TokenScene()) { scene in
        let token = scene.token()
        let old = scene.before { scene.links($0, token) }
        scene.cancels(scene["canceller"], token)
        let new = scene.links(scene["user"], token)
        scene.claims(scene["user"], new, token)
        scene.claims(scene["user"], old, token)
        scene.removes(scene["other"], old, token)
    },
    .init("one thread makes a child, one cancels the parent, one cancels the child", orders: 1_400, on: TokenScene()) {
        scene in
        let (parent, child) = (scene.token(), scene.token())
        scene.before { scene.handles($0, child) }
        scene.follows(scene["maker"], child, parent)
        scene.cancels(scene["canceller"], parent)
        scene.cancels(scene["other"], child)
    },
    .init("two threads cancel the parents of one token", orders: 516, on: TokenScene()) { scene in
        let (left, right) = (scene.token(), scene.token())
        let child = scene.token(below: left, right)
        scene.before { scene.handles($0, child) }
        scene.cancels(scene["left"], left)
        scene.cancels(scene["right"], right)
    },
    .init("one thread makes a child of two parents, one cancels one of the parents", orders: 946, on: TokenScene()) {
        scene in
        let (left, right, child) = (scene.token(), scene.token(), scene.token())
        scene.follows(scene["maker"], child, left)
        scene.follows(scene["maker"], child, right)
        scene.handles(scene["maker"], child)
        scene.cancels(scene["canceller"], left)
    },
    .init("one thread drops a child, one removes its handler, one cancels the parent", orders: 1_942, on: TokenScene())
    { scene in
        let parent = scene.token()
        let child = scene.token(below: parent)
        let grandchild = scene.token(below: child)
        let handler = scene.before { player in
            defer { scene.drops(player, child) }
            return scene.handles(player, grandchild)
        }
        scene.drops(scene["dropper"], grandchild)
        scene.removes(scene["user"], handler)
        scene.cancels(scene["canceller"], parent)
    },
    .init("two threads drop a chain of children, one removes the last one's handler", orders: 10, on: TokenScene()) {
        scene in
        let parent = scene.token()
        let child = scene.token(below: parent)
        let grandchild = scene.token(below: child, parent)
        let handler = scene.before { scene.handles($0, grandchild) }
        scene.drops(scene["one"], grandchild)
        scene.drops(scene["two"], child)
        scene.removes(scene["user"], handler)
    },
]
