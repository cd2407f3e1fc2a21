import Testing

@testable import SimpleFutures
@testable import TestSupport

typealias StreamStory = Story<StreamScene, StreamGuest.Form>

@Suite("FutureStream: every interleaving", .watchdog)
struct StreamStateTests {
    @Test(arguments: stories + continuing + waiting)
    func `its guarantees hold in every order of steps`(_ story: StreamStory) throws {
        let orders = try story.tryEveryOrder()
        #expect(orders == story.orders)
    }
}

private let stories: [StreamStory] = [
    .init("two threads emit to one subscriber", orders: 93) { scene, pick in
        scene.hasListener(pick(.sink, .here, .onQueue))
        scene.emits(scene["one"], 2)
        scene.emits(scene["two"])
    },
    .init("two threads emit to two subscribers", orders: 904, capacity: 1) { scene, pick in
        scene.hasListener(pick(.sink, .here, .onQueue))
        scene.hasListener(.here)
        scene.emits(scene["one"])
        scene.emits(scene["two"])
    },
    .init("one thread emits, one subscribes", orders: 1_655, capacity: 1) { scene, pick in
        scene.hasListener(pick(.here, .onQueue))
        scene.emits(scene["emitter"], 2)
        scene.comes(scene["listener"], .here)
    },
    .init("one thread emits and ends it, one subscribes and unsubscribes", orders: 302, capacity: .max) { scene, pick in
        scene.emits(scene["emitter"])
        scene.ends(scene["emitter"])
        scene.removes(scene["other"], scene.comes(scene["other"], pick(.sink, .here, .onQueue)))
    },
    .init("one thread emits, one subscribes, one unsubscribes", orders: 815, capacity: 1) { scene, pick in
        let listener = scene.hasListener(pick(.sink, .here, .onQueue))
        scene.emits(scene["emitter"])
        scene.comes(scene["listener"], pick(.here, .onQueue))
        scene.removes(scene["other"], listener)
    },
    .init("one thread emits, one unsubscribes a callback that gets several elements", orders: 6) { scene, _ in
        let listener = scene.hasListener(.onQueue)
        scene.before { scene.emits($0, 3) }
        scene.removes(scene["other"], listener)
    },
    .init("two threads end it, one emits", orders: 666) { scene, pick in
        scene.hasListener(pick(.sink, .here))
        scene.hasListener(.watcher)
        scene.ends(scene["one"], .finish)
        scene.ends(scene["two"], .cancellation)
        scene.emits(scene["emitter"])
    },
    .init("two producers, until the last one is released", orders: 1_306) { scene, pick in
        scene.hasListener(pick(.sink, .here, .onQueue))
        _ = scene.state.gainProducer()
        for name in ["one", "two"] {
            scene.emits(scene[name])
            scene.loses(scene[name])
        }
    },
    .init("one thread gets a replay buffer, one emits, one releases the stream", orders: 141, capacity: 3) {
        scene, pick in
        scene.before { scene.emits($0, 3) }
        scene.comes(scene["listener"], pick(.sink, .here, .onQueue))
        scene.emits(scene["emitter"])
        scene.letsGo(scene["holder"])
    },
    .init("two threads subscribe to a replay buffer", orders: 24, capacity: 3) { scene, pick in
        scene.before { scene.emits($0, 3) }
        let form = pick(.here, .onQueue)
        for name in ["one", "two"] { scene.comes(scene[name], form) }
    },
    .init("two threads emit to a callback that waits twice and to another one", orders: 80) { scene, _ in
        scene.hasListener(.here).waits = [.max, .max]
        scene.hasListener(.here)
        for name in ["one", "two"] { scene.emits(scene[name]) }
    },
    .init("one thread emits to a callback that leaves, one removes it, one subscribes", orders: 9_753, capacity: 1) {
        scene, pick in
        let listener = scene.hasListener(pick(.here, .onQueue))
        listener.leaves = true
        scene.emits(scene["emitter"], 2)
        scene.removes(scene["other"], listener)
        scene.comes(scene["listener"], .here)
    },
    .init("two threads emit to a callback that leaves and waits, and to another one, until the end", orders: 437) {
        scene, pick in
        let listener = scene.hasListener(.here)
        listener.leaves = true
        listener.waits = [.max]
        scene.hasListener(pick(.here, .watcher))
        for name in ["one", "two"] { scene.emits(scene[name]) }
        scene.ends(scene["two"])
    },
    .init("a context runs its tasks twice, a thread emits", orders: 6) { scene, _ in
        scene.runsTwice = true
        scene.hasListener(.onQueue)
        scene.emits(scene["emitter"], 2)
    },
    .init("a context drops its tasks, one thread emits, one subscribes", orders: 37, capacity: 1) { scene, _ in
        scene.dropsTasks = true
        scene.hasListener(.onQueue)
        scene.emits(scene["emitter"], 2)
        scene.comes(scene["listener"], .onQueue)
    },
]

/// Stories in which a thread may not deliver more than one element for other threads.
private let continuing: [StreamStory] = [
    .init("one thread emits, one subscribes, another one continues the delivery", orders: 16, capacity: 1) { scene, _ in
        scene.extraAllowance = 0
        scene.emits(scene["emitter"], 3)
        scene.comes(scene["listener"], .here)
    },
    .init("one thread emits to two subscribers, one subscribes, others continue", orders: 1_222, capacity: 1) {
        scene, pick in
        scene.extraAllowance = 0
        for _ in 1...2 { scene.hasListener(pick(.here, .sink)) }
        scene.emits(scene["emitter"], 2)
        scene.comes(scene["listener"], pick(.here, .sink))
    },
    .init("two threads emit to one subscriber, others continue", orders: 226) { scene, _ in
        scene.extraAllowance = 0
        scene.hasListener(.here)
        scene.emits(scene["one"], 2)
        scene.emits(scene["two"], 2)
    },
    .init("two threads emit, others continue, one removes the subscriber, one ends it", orders: 1_410) { scene, _ in
        scene.extraAllowance = 0
        let listener = scene.hasListener(.here)
        scene.emits(scene["one"])
        scene.emits(scene["two"])
        scene.removes(scene["three"], listener)
        scene.ends(scene["four"], .finish)
    },
]

/// Stories in which a wait inside a callback may be over at each moment.
private let waiting: [StreamStory] = [
    .init("a callback waits for a time, two threads emit", orders: 159) { scene, pick in
        scene.hasListener(.here).waits = [pick.number(upTo: 2)]
        scene.hasListener(.here)
        scene.emits(scene["one"])
        scene.emits(scene["two"], 2)
    },
    .init("a callback waits for a time inside another wait, two threads emit", orders: 402) { scene, pick in
        let listener = scene.hasListener(.here)
        listener.waits = [pick.number(upTo: 2)]
        scene.hasListener(.here).waits = [pick.number(upTo: 2)]
        scene.emits(scene["one"])
        scene.proceeds(scene["one"], to: listener)
        scene.emits(scene["two"], 2)
    },
    .init("a callback waits for a time, one thread ends it", orders: 115) { scene, pick in
        let listener = scene.hasListener(.here)
        listener.waits = [pick.number(upTo: 2)]
        scene.hasListener(pick(.here, .watcher))
        scene.emits(scene["one"])
        scene.proceeds(scene["one"], to: listener)
        scene.ends(scene["other"])
    },
    .init("a callback waits for a time, one thread subscribes", orders: 51, capacity: 1) { scene, pick in
        scene.hasListener(.here).waits = [pick.number(upTo: 2)]
        scene.emits(scene["emitter"], 2)
        scene.comes(scene["listener"], .here)
    },
    .init("a callback on a queue emits and waits for a time, one thread emits", orders: 370) { scene, pick in
        let listener = scene.hasListener(.onQueue)
        listener.emits = 1
        listener.waits = [pick.number(upTo: 3)]
        scene.hasListener(.here)
        scene.emits(scene["emitter"])
    },
    .init("a context runs its tasks at once inside a wait, one thread ends it", orders: 96) { scene, pick in
        scene.runsAtOnce = true
        let listener = scene.hasListener(.onValue)
        listener.waits = [pick.number(upTo: 1)]
        scene.hasListener(.watcherOnValue)
        scene.emitsAndWaits(scene["emitter"], 1, waits: 1 + pick.number(upTo: 1))
        scene.proceeds(scene["emitter"], to: listener)
        scene.ends(scene["other"])
    },
    .init("a context runs its tasks at once inside a wait, one thread emits", orders: 192) { scene, pick in
        scene.runsAtOnce = true
        let listener = scene.hasListener(pick(.onObject, .onValue))
        listener.waits = [pick.number(upTo: 1)]
        scene.emitsAndWaits(scene["one"], 2, waits: 1 + pick.number(upTo: 2))
        scene.proceeds(scene["one"], to: listener)
        scene.emits(scene["two"])
    },
    .init("one thread emits inside a callback, one removes the subscriber, one subscribes", orders: 672, capacity: 1) {
        scene, pick in
        let listener = scene.hasListener(.here)
        scene.emitsAndWaits(scene["emitter"], 1, waits: pick.number(upTo: 1))
        scene.removes(scene["other"], listener)
        scene.comes(scene["listener"], pick(.here, .onQueue))
    },
    .init("a callback adds a subscriber to a stream that has ended and waits for a time", orders: 8, capacity: 2) {
        scene, pick in
        scene.runsAtOnce = true
        scene.before {
            scene.emits($0, 2)
            scene.ends($0)
        }
        let listener = scene.comes(scene["listener"], .onValue)
        listener.brings = pick(.onValue, .watcherOnValue)
        listener.waits = [pick.number(upTo: 3)]
    },
    .init("a context of the user's has a task, one thread ends it", orders: 134) { scene, pick in
        scene.hasListener(pick(.onObject, .onValue)).waits = [pick.number(upTo: 1)]
        scene.before { scene.emits($0) }
        scene.ends(scene["other"])
    },
]

extension StreamStory {
    fileprivate init(
        _ name: String, orders: Int, capacity: Int = 0,
        _ play: @escaping @Sendable (StreamScene, Pick<StreamGuest.Form>) -> Void
    ) {
        self.init(testDescription: name, orders: orders, stage: { StreamScene(capacity: capacity) }, play: play)
    }
}
