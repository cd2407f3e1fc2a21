import Testing

@testable import SimpleFutures
@testable import TestSupport

typealias FutureStory = Story<FutureScene, Guest.Form>

@Suite("Future: every interleaving", .watchdog)
struct FutureStateTests {
    @Test(arguments: settling + unsubscribing + blocking + continuing + waiting)
    func `its guarantees hold in every order of steps`(_ story: FutureStory) throws {
        let orders = try story.tryEveryOrder()
        #expect(orders == story.orders)
    }

    @Test func `it needs thirteen words`() {
        // With one more, a pending promise has 224 bytes on Linux: row 14 of the benchmarks allows 208.
        #expect(MemoryLayout<FutureState>.size <= 13 * MemoryLayout<Int>.size)
    }
}

private let settling: [FutureStory] = [
    .init("two threads settle it, one of them too late", orders: 104) { scene, pick in
        scene.hasGuest(pick(Guest.Form.allCases))
        _ = scene.state { $0.gainWorker() }
        scene.settles(scene["one"], .succeeded)
        scene.settles(scene["two"], .failed)
    },
    .init("one thread settles it, two observe it", orders: 1_038) { scene, pick in
        scene.settles(scene["completer"], .succeeded)
        for name in ["one", "two"] { scene.comes(scene[name], pick(.here, .onQueue, .removable)) }
    },
    .init("one thread settles it with one observer, two observe it one after the other", orders: 1_642) { scene, pick in
        scene.hasGuest(pick(.here, .onQueue))
        scene.settles(scene["completer"], .succeeded)
        for _ in 1...2 { scene.comes(scene["observer"], pick(.here, .removable, .waker)) }
    },
    .init("one thread settles it, a context runs its tasks at once, two observe it", orders: 3_608) { scene, pick in
        scene.runsAtOnce = true
        scene.hasGuest(.onQueue)
        scene.hasGuest(pick(.onQueue, .onQueueUnderToken))
        scene.settles(scene["completer"], .succeeded)
        for name in ["one", "two"] { scene.comes(scene[name], pick(.here, .onQueue)) }
    },
    .init("one thread waits for many and has enough, one observes it, one settles it", orders: 76) { scene, pick in
        let many = scene.hasGuest(pick(.gathering, .race))
        scene["many"].add("has enough") { many.isOver = true }
        scene.comes(scene["observer"], pick(.here, .removable, .race))
        scene.settles(scene["completer"], .succeeded)
    },
    .init("three producers, until the last one is released", orders: 12) { scene, pick in
        scene.hasProducers(watchedBy: pick(.here, .waker))
    },
    .init("three producers, until the last one is released, and one thread that settles it", orders: 108) {
        scene, pick in
        scene.hasProducers(watchedBy: pick(.here, .waker))
        scene.settles(scene["completer"], .succeeded)
    },
]

private let unsubscribing: [FutureStory] = [
    .init("one thread settles it, one observes it, one cancels the token", orders: 1_302) { scene, pick in
        scene.settles(scene["completer"], .succeeded)
        scene.comes(scene["observer"], pick(.underToken, .onQueueUnderToken))
        scene.cancelsToken(scene["canceller"])
    },
    twoObservers(andEnd: .succeeded, orders: 5_527),
    twoObservers(andEnd: .failed, orders: 350),
    twoObservers(andEnd: .cancelled, orders: 350),
    .init("two threads unsubscribe the callbacks under the token", orders: 63) { scene, _ in
        scene.hasGuest(.underToken)
        scene.hasGuest(.onQueueUnderToken)
        scene.hasOneCanceller = false
        scene.cancels(scene["one"])
        scene.cancelsToken(scene["other"])
    },
    .init("one thread settles it, two remove their observers", orders: 353) { scene, pick in
        let guest = scene.hasGuest(pick(.removable, .waker))
        scene.settles(scene["completer"], .succeeded)
        scene.withdraws(scene["one"], guest)
        scene.withdraws(scene["other"], scene.comes(scene["observer"], pick(.removable, .waker)))
    },
    .init("one thread releases it, one cancels the token", orders: 2_710) { scene, pick in
        scene.hasGuest(pick(Guest.Form.allCases))
        scene.hasGuest(pick(.underToken, .onQueueUnderToken))
        scene.abandons(scene["releaser"])
        scene.cancelsToken(scene["canceller"])
    },
    .init("one thread settles it, a context drops its tasks, one thread cancels the token", orders: 10_306) {
        scene, pick in
        scene.dropsTasks = true
        scene.hasGuest(pick(.here, .onQueueUnderToken))
        scene.hasGuest(pick(.onQueue, .onQueueUnderToken))
        scene.settles(scene["completer"], .succeeded)
        scene.cancelsToken(scene["canceller"])
    },
]

private let blocking: [FutureStory] = [
    .init("one thread settles it inside a callback, one observes it", orders: 128) { scene, pick in
        scene.usesDispatch = true
        scene.hasGuest(pick(Guest.Form.allCases))
        scene.settlesInCallback(scene["completer"], .succeeded)
        scene.comes(scene["observer"], .here)
    },
    .init("one thread's callback waits, one thread observes it", orders: 128) { scene, pick in
        scene.usesDispatch = true
        scene.hasGuest(.here).waits = [.max]
        scene.hasGuest(.here)
        scene.settles(scene["completer"], .succeeded)
        scene.comes(scene["observer"], pick(.here, .onQueue, .waker))
    },
    .init("a callback that a context runs at once waits, behind it is one that stays, one observes it", orders: 90) {
        scene, pick in
        scene.runsAtOnce = true
        scene.hasGuest(.onQueue).waits = [.max]
        scene.kind = .recovery
        scene.hasGuest(.onQueue)
        scene.kind = .transform
        scene.settles(scene["completer"], .succeeded)
        scene.comes(scene["observer"], pick(.here, .removable))
    },
    .init("one thread is in a callback that returns, one observes it once, one twice", orders: 2_001) { scene, _ in
        scene.isObserved(whileCallbackReturns: true)
    },
    .init("one thread is in a callback that goes on, one observes it once, one twice", orders: 27) { scene, _ in
        scene.isObserved(whileCallbackReturns: false)
    },
]

/// Stories in which a thread may not run more than one callback for other threads.
private let continuing: [FutureStory] = [
    .init("one thread settles it with three observers, and calls all of them itself", orders: 231) { scene, pick in
        scene.extraAllowance = 0
        scene.mayGoOnElsewhere = false
        for _ in 1...3 { scene.hasGuest(pick(.here, .onQueue, .removable)) }
        scene.settles(scene["completer"], .succeeded)
    },
    .init("one thread settles it, two observe it, another thread continues before each", orders: 1_344) { scene, pick in
        scene.extraAllowance = 0
        scene.settles(scene["completer"], .succeeded)
        for name in ["one", "two"] { scene.comes(scene[name], pick(.here, .onQueue, .removable, .waker)) }
    },
    .init("one thread settles it with one observer, two observe it in turn, other threads continue", orders: 198) {
        scene, pick in
        scene.extraAllowance = 0
        scene.hasGuest(.here)
        scene.settles(scene["completer"], .succeeded)
        scene.comes(scene["observer"], pick(.here, .removable))
        scene.comes(scene["observer"], pick(.here, .onQueue))
    },
    .init("one thread settles it, a context runs tasks at once, two observe it, others continue", orders: 1_454) {
        scene, pick in
        scene.extraAllowance = 0
        scene.runsAtOnce = true
        scene.hasGuest(.onQueue)
        scene.settles(scene["completer"], .succeeded)
        for name in ["one", "two"] { scene.comes(scene[name], pick(.here, .onQueue)) }
    },
    .init("one thread settles it inside a callback, one observes it, other threads continue", orders: 92) {
        scene, pick in
        scene.extraAllowance = 0
        scene.usesDispatch = true
        scene.hasGuest(.onQueue)
        scene.settlesInCallback(scene["completer"], .succeeded)
        scene.comes(scene["observer"], pick(.here, .onQueue, .waker))
    },
    .init("one thread settles and observes it, one observes it twice before another continues", orders: 90) {
        scene, pick in
        scene.extraAllowance = 0
        scene.settles(scene["one"], .succeeded)
        scene.comes(scene["one"], pick(.here, .removable))
        scene.comes(scene["two"], .here)
        scene.comes(scene["two"], pick(.here, .removable))
    },
    .init("one thread settles it, one observes it, one cancels the token, other threads continue", orders: 8_483) {
        scene, pick in
        scene.extraAllowance = 0
        scene.hasGuest(pick(.here, .waker))
        scene.settles(scene["completer"], .succeeded)
        scene.comes(scene["observer"], pick(.underToken, .onQueueUnderToken))
        scene.cancelsToken(scene["canceller"])
    },
]

/// Stories in which a wait inside a callback may be over at each moment.
private let waiting: [FutureStory] = [
    .init("a callback waits for a time, one thread observes it", orders: 82) { scene, pick in
        scene.usesDispatch = true
        scene.arrivesAtEnd = true
        scene.hasGuest(.here).waits = [pick.number(upTo: 2)]
        scene.hasGuest(.here)
        scene.settles(scene["completer"], .succeeded)
        scene.comes(scene["observer"], pick(.here, .onQueue))
    },
    .init("a callback waits for a time inside another wait, one thread observes it", orders: 91) { scene, pick in
        for _ in 1...2 { scene.hasGuest(.here).waits = [pick.number(upTo: 2)] }
        scene.settles(scene["completer"], .succeeded)
        scene.comes(scene["observer"], pick(.here, .waker))
    },
    .init("a context runs its tasks at once, two of them wait for a time, one thread observes it", orders: 629) {
        scene, pick in
        scene.runsAtOnce = true
        for _ in 1...2 { scene.hasGuest(.onQueue).waits = [pick.number(upTo: 2)] }
        scene.hasGuest(.onQueue)
        scene.settles(scene["completer"], .succeeded)
        scene.comes(scene["observer"], .onQueue)
    },
    .init("a callback that a context runs at once waits for a time, behind it are some that stay", orders: 547) {
        scene, pick in
        scene.runsAtOnce = true
        scene.hasGuest(.onQueue).waits = [pick.number(upTo: 3)]
        scene.kind = .recovery
        for _ in 1...2 { scene.hasGuest(.onQueue) }
        scene.kind = .transform
        scene.settles(scene["completer"], .succeeded)
        scene.comes(scene["observer"], pick(.here, .onQueue))
    },
    .init("a thread settles it inside a callback that waits for a time, one observes it", orders: 522) { scene, pick in
        scene.runsAtOnce = true
        let form = pick(.here, .onQueue)
        scene.hasGuest(form).waits = [pick.number(upTo: 2)]
        scene.hasGuest(form)
        scene.settlesInCallback(scene["completer"], .succeeded, waits: [1 + pick.number(upTo: 2)])
        scene.comes(scene["observer"], form)
    },
    .init("a callback adds another one and waits for a time, one thread observes it", orders: 650) { scene, pick in
        scene.runsAtOnce = true
        let guest = scene.hasGuest(pick(.here, .onQueue))
        guest.brings = pick(.here, .onQueue)
        guest.waits = [pick.number(upTo: 3)]
        scene.settles(scene["completer"], .succeeded)
        scene.comes(scene["observer"], .onQueue)
    },
    .init("two threads observe it, and their callbacks wait for a time", orders: 1_077) { scene, pick in
        scene.runsAtOnce = true
        scene.before { scene.settles($0, .succeeded) }
        for name in ["one", "two"] { scene.comes(scene[name], .onQueue).waits = [pick.number(upTo: 1)] }
        scene.comes(scene["two"], pick(.here, .onQueue))
    },
]

private func twoObservers(andEnd phase: FuturePhase, orders: Int) -> FutureStory {
    .init("one thread settles it as \(phase) with two observers, one cancels the token", orders: orders) {
        scene, pick in
        scene.hasGuest(pick(.here, .underToken))
        scene.hasGuest(.onQueueUnderToken)
        scene.settles(scene["completer"], phase)
        scene.cancelsToken(scene["canceller"])
    }
}

extension FutureScene {
    fileprivate func hasProducers(watchedBy form: Guest.Form) {
        hasGuest(form)
        for _ in 0..<2 { _ = future.gainProducer() }
        for name in ["one", "two", "three"] { loses(self[name]) }
        settlesAtEnd = true
    }

    fileprivate func isObserved(whileCallbackReturns returns: Bool) {
        usesDispatch = true
        arrivesAtEnd = true
        isInCallback(self["completer"], returns: returns)
        for name in ["one", "two", "two"] { comes(self[name], .onQueue) }
    }
}

extension FutureStory {
    fileprivate init(
        _ name: String, orders: Int, _ play: @escaping @Sendable (FutureScene, Pick<Guest.Form>) -> Void
    ) {
        self.init(testDescription: name, orders: orders, stage: { FutureScene() }, play: play)
    }
}
