import Testing

@testable import SimpleFutures
@testable import TestSupport

@Suite("Future: every order of steps", .watchdog)
struct FutureStateTests {
    private let forms = Guest.Form.allCases

    @Test func `two threads that settle it, one of which is too late`() throws {
        let orders = try everyFutureOrder(for: [forms]) { scene, forms in
            _ = scene.hasGuest(forms[0])
            scene.settles(scene.player("one"), .succeeded)
            scene.settles(scene.player("two"), .failed)
        }
        #expect(orders >= 61)
    }

    @Test func `one thread that settles it and two that observe it`() throws {
        let orders = try everyFutureOrder(for: [[.here, .onQueue, .removable], [.here, .onQueue, .removable]]) {
            scene, forms in
            scene.settles(scene.player("completer"), .succeeded)
            for form in forms { scene.comes(scene.player("\(form)"), form) }
        }
        #expect(orders >= 374)
    }

    @Test func `one thread that settles it with one observer, and two that observe it one after the other`() throws {
        let some: [Guest.Form] = [.here, .removable, .waker]
        let orders = try everyFutureOrder(for: [[.here, .onQueue], some, some]) { scene, forms in
            _ = scene.hasGuest(forms[0])
            scene.settles(scene.player("completer"), .succeeded)
            let observer = scene.player("observer")
            for form in forms.dropFirst() { scene.comes(observer, form) }
        }
        #expect(orders >= 795)
    }

    @Test func `one thread that settles it, one that observes it and one that cancels the token`() throws {
        let orders = try everyFutureOrder(for: [[.underToken, .onQueueUnderToken]]) { scene, forms in
            scene.settles(scene.player("completer"), .succeeded)
            scene.comes(scene.player("observer"), forms[0])
            scene.cancelsToken(scene.player("canceller"))
        }
        #expect(orders >= 400)
    }

    @Test(arguments: [FuturePhase.succeeded, .failed, .cancelled])
    func `one thread that settles it with two there, and one that cancels the token`(phase: FuturePhase) throws {
        let orders = try everyFutureOrder(for: [[.here, .underToken], [.onQueueUnderToken]]) { scene, forms in
            for form in forms { _ = scene.hasGuest(form) }
            scene.settles(scene.player("completer"), phase)
            scene.cancelsToken(scene.player("canceller"))
        }
        #expect(orders >= (phase == .succeeded ? 381 : 81))
    }

    @Test func `two threads that unsubscribe what is under the token`() throws {
        let orders = try everyFutureOrder(for: [[.underToken], [.onQueueUnderToken]]) { scene, forms in
            for form in forms { _ = scene.hasGuest(form) }
            scene.hasOneCanceller = false
            scene.cancels(scene.player("one"))
            scene.cancelsToken(scene.player("other"))
        }
        #expect(orders >= 96)
    }

    @Test func `one thread that settles it and two that take their observers out`() throws {
        let some: [Guest.Form] = [.removable, .waker]
        let orders = try everyFutureOrder(for: [some, some]) { scene, forms in
            let guest = scene.hasGuest(forms[0])
            scene.settles(scene.player("completer"), .succeeded)
            scene.withdraws(scene.player("one"), guest)
            scene.withdraws(scene.player("other"), scene.comes(scene.player("observer"), forms[1]))
        }
        #expect(orders >= 325)
    }

    @Test func `one thread that releases it and one that cancels the token`() throws {
        let orders = try everyFutureOrder(for: [forms, [.underToken, .onQueueUnderToken]]) { scene, forms in
            for form in forms { _ = scene.hasGuest(form) }
            scene.abandons(scene.player("releaser"))
            scene.cancelsToken(scene.player("canceller"))
        }
        #expect(orders >= 524)
    }

    @Test func `one thread that settles it inside of a callback, and one that observes it`() throws {
        let orders = try everyFutureOrder(for: [forms, [.here]]) { scene, forms in
            scene.usesDispatch = true
            _ = scene.hasGuest(forms[0])
            scene.settles(scene.player("completer"), .succeeded, isInCallback: true)
            scene.comes(scene.player("observer"), forms[1])
        }
        #expect(orders >= 124)
    }

    @Test func `one thread whose callback waits, and two that observe it`() throws {
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
    func `one thread that is in a callback, one that observes it, and one that does so twice`(returns: Bool) throws {
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

    @Test func `one thread that settles it, a context that drops its tasks, and one that cancels the token`() throws {
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
        let orders = try everyFutureOrder(for: [[.onQueue, .onQueueUnderToken], [.here, .onQueue], [.here, .onQueue]]) {
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

    @Test func `one thread that settles it with three there, and delivers to all of them itself`() throws {
        let some: [Guest.Form] = [.here, .onQueue, .removable]
        let orders = try everyFutureOrder(for: [some, some, some]) { scene, forms in
            scene.extraAllowance = 0
            scene.mayGoOnElsewhere = false
            for form in forms { _ = scene.hasGuest(form) }
            scene.settles(scene.player("completer"), .succeeded)
        }
        #expect(orders >= 130)
    }

    @Test func `one thread that settles it, and two that come, with a hand-over before each`() throws {
        let some: [Guest.Form] = [.here, .onQueue, .removable, .waker]
        let orders = try everyFutureOrder(for: [some, some]) { scene, forms in
            scene.extraAllowance = 0
            scene.settles(scene.player("completer"), .succeeded)
            for (index, form) in forms.enumerated() { scene.comes(scene.player("\(index)"), form) }
        }
        #expect(orders >= 506)
    }

    @Test func `one thread that settles it with one observer, and two that come one after the other, with hand-overs`()
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

    @Test func `one thread that settles it inside of a callback, and one that comes, with hand-overs`() throws {
        let orders = try everyFutureOrder(for: [[.here, .onQueue, .waker]]) { scene, forms in
            scene.extraAllowance = 0
            scene.usesDispatch = true
            _ = scene.hasGuest(.onQueue)
            scene.settles(scene.player("completer"), .succeeded, isInCallback: true)
            scene.comes(scene.player("observer"), forms[0])
        }
        #expect(orders >= 79)
    }

    @Test func `one thread that settles it and comes, and two that come before another thread goes on`() throws {
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

    @Test func `one thread that settles it, one that comes, and one that cancels the token, with hand-overs`() throws {
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
    func `three producers, until the last one has gone`(isCompleted: Bool) throws {
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

/// All orders of scenes with guests of various forms.
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
