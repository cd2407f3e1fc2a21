import Testing

@testable import SimpleFutures
@testable import TestSupport

@Suite("Future: every interleaving", .watchdog)
struct FutureStateTests {
    private let forms = Guest.Form.allCases

    @Test func `two threads settle it, one of them too late`() throws {
        let orders = try everyFutureOrder(for: [forms]) { scene, forms in
            _ = scene.hasGuest(forms[0])
            scene.settles(scene.player("one"), .succeeded)
            scene.settles(scene.player("two"), .failed)
        }
        #expect(orders >= 61)
    }

    @Test func `one thread settles it, two observe it`() throws {
        let orders = try everyFutureOrder(for: [[.here, .onQueue, .removable], [.here, .onQueue, .removable]]) {
            scene, forms in
            scene.settles(scene.player("completer"), .succeeded)
            for form in forms { scene.comes(scene.player("\(form)"), form) }
        }
        #expect(orders >= 374)
    }

    @Test func `one thread settles it with one observer, two observe it one after the other`() throws {
        let some: [Guest.Form] = [.here, .removable, .waker]
        let orders = try everyFutureOrder(for: [[.here, .onQueue], some, some]) { scene, forms in
            _ = scene.hasGuest(forms[0])
            scene.settles(scene.player("completer"), .succeeded)
            let observer = scene.player("observer")
            for form in forms.dropFirst() { scene.comes(observer, form) }
        }
        #expect(orders >= 795)
    }

    @Test func `one thread settles it, one observes it, one cancels the token`() throws {
        let orders = try everyFutureOrder(for: [[.underToken, .onQueueUnderToken]]) { scene, forms in
            scene.settles(scene.player("completer"), .succeeded)
            scene.comes(scene.player("observer"), forms[0])
            scene.cancelsToken(scene.player("canceller"))
        }
        #expect(orders >= 400)
    }

    @Test(arguments: [FuturePhase.succeeded, .failed, .cancelled])
    func `one thread settles it with two observers, one cancels the token`(phase: FuturePhase) throws {
        let orders = try everyFutureOrder(for: [[.here, .underToken], [.onQueueUnderToken]]) { scene, forms in
            for form in forms { _ = scene.hasGuest(form) }
            scene.settles(scene.player("completer"), phase)
            scene.cancelsToken(scene.player("canceller"))
        }
        #expect(orders >= (phase == .succeeded ? 381 : 81))
    }

    @Test func `two threads unsubscribe the callbacks under the token`() throws {
        let orders = try everyFutureOrder(for: [[.underToken], [.onQueueUnderToken]]) { scene, forms in
            for form in forms { _ = scene.hasGuest(form) }
            scene.hasOneCanceller = false
            scene.cancels(scene.player("one"))
            scene.cancelsToken(scene.player("other"))
        }
        #expect(orders >= 96)
    }

    @Test func `one thread settles it, two remove their observers`() throws {
        let some: [Guest.Form] = [.removable, .waker]
        let orders = try everyFutureOrder(for: [some, some]) { scene, forms in
            let guest = scene.hasGuest(forms[0])
            scene.settles(scene.player("completer"), .succeeded)
            scene.withdraws(scene.player("one"), guest)
            scene.withdraws(scene.player("other"), scene.comes(scene.player("observer"), forms[1]))
        }
        #expect(orders >= 325)
    }

    @Test func `one thread releases it, one cancels the token`() throws {
        let orders = try everyFutureOrder(for: [forms, [.underToken, .onQueueUnderToken]]) { scene, forms in
            for form in forms { _ = scene.hasGuest(form) }
            scene.abandons(scene.player("releaser"))
            scene.cancelsToken(scene.player("canceller"))
        }
        #expect(orders >= 524)
    }

    @Test func `one thread settles it inside a callback, one observes it`() throws {
        let orders = try everyFutureOrder(for: [forms, [.here]]) { scene, forms in
            scene.usesDispatch = true
            _ = scene.hasGuest(forms[0])
            scene.settles(scene.player("completer"), .succeeded, isInCallback: true)
            scene.comes(scene.player("observer"), forms[1])
        }
        #expect(orders >= 124)
    }

    @Test func `one thread's callback waits, two threads observe it`() throws {
        let orders = try everyFutureOrder(for: [[.here], [.here, .onQueue, .waker]]) { scene, forms in
            scene.usesDispatch = true
            scene.hasGuest(.here).waits = true
            _ = scene.hasGuest(forms[0])
            scene.settles(scene.player("completer"), .succeeded)
            scene.comes(scene.player("observer"), forms[1])
        }
        #expect(orders >= 56)
    }

    @Test(arguments: [true, false])
    func `one thread is in a callback, one observes it once, one twice`(returns: Bool) throws {
        let orders = try everyFutureOrder(for: [[.onQueue], [.onQueue], [.onQueue]]) { scene, forms in
            scene.usesDispatch = true
            scene.arrivesAtEnd = true
            scene.isInCallback(scene.player("completer"), returns: returns)
            scene.comes(scene.player("one"), forms[0])
            let two = scene.player("two")
            for form in forms.dropFirst() { scene.comes(two, form) }
        }
        #expect(orders >= (returns ? 2_001 : 27))
    }

    @Test func `one thread settles it, a context drops its tasks, one thread cancels the token`() throws {
        let orders = try everyFutureOrder(for: [[.here, .onQueueUnderToken], [.onQueue, .onQueueUnderToken]]) {
            scene, forms in
            scene.dropsTasks = true
            for form in forms { _ = scene.hasGuest(form) }
            scene.settles(scene.player("completer"), .succeeded)
            scene.cancelsToken(scene.player("canceller"))
        }
        #expect(orders >= 1_185)
    }

    @Test func `one thread that settles it, a context that runs its tasks at once, and two that observe it`() throws {
        let orders = try everyFutureOrder(for: [
            [.onQueue, .onQueueUnderToken], [.here, .onQueue], [.here, .onQueue],
        ]) {
            scene, forms in
            scene.runsAtOnce = true
            _ = scene.hasGuest(.onQueue)
            _ = scene.hasGuest(forms[0])
            scene.settles(scene.player("completer"), .succeeded)
            for (index, form) in forms.dropFirst().enumerated() { scene.comes(scene.player("\(index)"), form) }
        }
        #expect(orders >= 1)
    }

    @Test func `one thread that waits for many and has enough, one that observes it and one that settles it`() throws {
        let orders = try everyFutureOrder(for: [[.gathering, .race], [.here, .removable, .race]]) { scene, forms in
            let many = scene.hasGuest(forms[0])
            scene.player("many").add("has enough") { many.isOver = true }
            scene.comes(scene.player("observer"), forms[1])
            scene.settles(scene.player("completer"), .succeeded)
        }
        #expect(orders >= 76)
    }

    @Test func `one thread settles it with three observers, and calls all of them itself`() throws {
        let some: [Guest.Form] = [.here, .onQueue, .removable]
        let orders = try everyFutureOrder(for: [some, some, some]) { scene, forms in
            scene.extraAllowance = 0
            scene.mayGoOnElsewhere = false
            for form in forms { _ = scene.hasGuest(form) }
            scene.settles(scene.player("completer"), .succeeded)
        }
        #expect(orders >= 130)
    }

    @Test func `one thread settles it, two observe it, another thread continues before each`() throws {
        let some: [Guest.Form] = [.here, .onQueue, .removable, .waker]
        let orders = try everyFutureOrder(for: [some, some]) { scene, forms in
            scene.extraAllowance = 0
            scene.settles(scene.player("completer"), .succeeded)
            for (index, form) in forms.enumerated() { scene.comes(scene.player("\(index)"), form) }
        }
        #expect(orders >= 506)
    }

    @Test func `one thread settles it with one observer, two observe it in turn, other threads continue`()
        throws
    {
        let orders = try everyFutureOrder(for: [[.here, .removable], [.here, .onQueue]]) { scene, forms in
            scene.extraAllowance = 0
            _ = scene.hasGuest(.here)
            scene.settles(scene.player("completer"), .succeeded)
            let observer = scene.player("observer")
            for form in forms { scene.comes(observer, form) }
        }
        #expect(orders >= 48)
    }

    @Test func `one thread settles it inside a callback, one observes it, other threads continue`() throws {
        let orders = try everyFutureOrder(for: [[.here, .onQueue, .waker]]) { scene, forms in
            scene.extraAllowance = 0
            scene.usesDispatch = true
            _ = scene.hasGuest(.onQueue)
            scene.settles(scene.player("completer"), .succeeded, isInCallback: true)
            scene.comes(scene.player("observer"), forms[0])
        }
        #expect(orders >= 79)
    }

    @Test func `one thread settles and observes it, two observe it before another thread continues`() throws {
        let some: [Guest.Form] = [.here, .removable]
        let orders = try everyFutureOrder(for: [some, [.here], some]) { scene, forms in
            scene.extraAllowance = 0
            let one = scene.player("one")
            scene.settles(one, .succeeded)
            scene.comes(one, forms[0])
            let two = scene.player("two")
            for form in forms.dropFirst() { scene.comes(two, form) }
        }
        #expect(orders >= 66)
    }

    @Test func `one thread settles it, one observes it, one cancels the token, other threads continue`() throws {
        let orders = try everyFutureOrder(for: [[.here, .waker], [.underToken, .onQueueUnderToken]]) { scene, forms in
            scene.extraAllowance = 0
            _ = scene.hasGuest(forms[0])
            scene.settles(scene.player("completer"), .succeeded)
            scene.comes(scene.player("observer"), forms[1])
            scene.cancelsToken(scene.player("canceller"))
        }
        #expect(orders >= 1_458)
    }

    @Test(arguments: [true, false])
    func `three producers, until the last one is released`(isCompleted: Bool) throws {
        let orders = try everyFutureOrder(for: [[.here, .waker]]) { scene, forms in
            _ = scene.hasGuest(forms[0])
            for _ in 0..<2 { _ = scene.future.gainProducer() }
            for name in ["one", "two", "three"] { scene.loses(scene.player(name)) }
            if isCompleted { scene.settles(scene.player("completer"), .succeeded) }
            scene.settlesAtEnd = true
        }
        #expect(orders >= (isCompleted ? 108 : 12))
    }
}

/// Runs all interleavings of scenes with guests of various forms.
func everyFutureOrder(
    for forms: [[Guest.Form]], _ play: (FutureScene, [Guest.Form]) -> Void
) throws -> Int {
    try choices(forms).reduce(0) { orders, choice in
        let more = try everyOrder {
            let scene = FutureScene()
            play(scene, choice)
            return scene
        }
        return orders + more
    }
}
