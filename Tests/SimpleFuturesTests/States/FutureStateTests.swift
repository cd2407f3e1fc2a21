import Testing

@testable import SimpleFutures
@testable import TestSupport

@Suite("Future: every order of steps", .watchdog)
struct FutureStateTests {
    private let forms = Guest.Form.allCases

    @Test func `of two who settle it, one of whom is too late`() throws {
        let orders = try everyFutureOrder(for: [forms]) { scene, forms in
            _ = scene.hasGuest(forms[0])
            scene.settles(scene.player("one"), .succeeded)
            scene.settles(scene.player("two"), .failed)
        }
        #expect(orders >= 61)
    }

    @Test func `of one who settles it and two who observe it`() throws {
        let orders = try everyFutureOrder(for: [[.here, .onQueue, .removable], [.here, .onQueue, .removable]]) {
            scene, forms in
            scene.settles(scene.player("completer"), .succeeded)
            for form in forms { scene.comes(scene.player("\(form)"), form) }
        }
        #expect(orders >= 374)
    }

    @Test func `of one who settles it with somebody there, and two who observe it one after the other`() throws {
        let some: [Guest.Form] = [.here, .removable, .waker]
        let orders = try everyFutureOrder(for: [[.here, .onQueue], some, some]) { scene, forms in
            _ = scene.hasGuest(forms[0])
            scene.settles(scene.player("completer"), .succeeded)
            let observer = scene.player("observer")
            for form in forms.dropFirst() { scene.comes(observer, form) }
        }
        #expect(orders >= 795)
    }

    @Test func `of one who settles it, one who observes it and one who cancels the token`() throws {
        let orders = try everyFutureOrder(for: [[.underToken, .onQueueUnderToken]]) { scene, forms in
            scene.settles(scene.player("completer"), .succeeded)
            scene.comes(scene.player("observer"), forms[0])
            scene.cancelsToken(scene.player("canceller"))
        }
        #expect(orders >= 400)
    }

    @Test(arguments: [FuturePhase.succeeded, .failed, .cancelled])
    func `of one who settles it with two there, and one who cancels the token`(phase: FuturePhase) throws {
        let orders = try everyFutureOrder(for: [[.here, .underToken], [.onQueueUnderToken]]) { scene, forms in
            for form in forms { _ = scene.hasGuest(form) }
            scene.settles(scene.player("completer"), phase)
            scene.cancelsToken(scene.player("canceller"))
        }
        #expect(orders >= (phase == .succeeded ? 381 : 81))
    }

    @Test func `of two who detach what is under the token`() throws {
        let orders = try everyFutureOrder(for: [[.underToken], [.onQueueUnderToken]]) { scene, forms in
            for form in forms { _ = scene.hasGuest(form) }
            scene.hasOneCanceller = false
            scene.cancels(scene.player("one"))
            scene.cancelsToken(scene.player("other"))
        }
        #expect(orders >= 108)
    }

    @Test func `of one who settles it and two who take their observers out`() throws {
        let some: [Guest.Form] = [.removable, .waker]
        let orders = try everyFutureOrder(for: [some, some]) { scene, forms in
            let guest = scene.hasGuest(forms[0])
            scene.settles(scene.player("completer"), .succeeded)
            scene.withdraws(scene.player("one"), guest)
            scene.withdraws(scene.player("other"), scene.comes(scene.player("observer"), forms[1]))
        }
        #expect(orders >= 325)
    }

    @Test func `of one who releases it and one who cancels the token`() throws {
        let orders = try everyFutureOrder(for: [forms, [.underToken, .onQueueUnderToken]]) { scene, forms in
            for form in forms { _ = scene.hasGuest(form) }
            scene.abandons(scene.player("releaser"))
            scene.cancelsToken(scene.player("canceller"))
        }
        #expect(orders >= 524)
    }

    @Test func `of one who settles it inside of a callback, and one who observes it`() throws {
        let orders = try everyFutureOrder(for: [forms, [.here]]) { scene, forms in
            scene.usesDispatch = true
            _ = scene.hasGuest(forms[0])
            scene.settles(scene.player("completer"), .succeeded, isInCallback: true)
            scene.comes(scene.player("observer"), forms[1])
        }
        #expect(orders >= 126)
    }

    @Test func `of one whose callback waits, and two who observe it`() throws {
        let orders = try everyFutureOrder(for: [[.here], [.here, .onQueue, .waker]]) { scene, forms in
            scene.usesDispatch = true
            scene.hasGuest(.here).waits = true
            _ = scene.hasGuest(forms[0])
            scene.settles(scene.player("completer"), .succeeded)
            scene.comes(scene.player("observer"), forms[1])
        }
        #expect(orders >= 59)
    }

    @Test(arguments: [true, false])
    func `of one who is in a callback, one who observes it, and one who does so twice`(returns: Bool) throws {
        let orders = try everyFutureOrder(for: [[.onQueue], [.onQueue], [.onQueue]]) { scene, forms in
            scene.usesDispatch = true
            scene.arrivesAtEnd = true
            scene.isInCallback(scene.player("completer"), returns: returns)
            scene.comes(scene.player("one"), forms[0])
            let two = scene.player("two")
            for form in forms.dropFirst() { scene.comes(two, form) }
        }
        #expect(orders >= (returns ? 3_948 : 45))
    }

    @Test func `of one who settles it, a context that drops its tasks, and one who cancels the token`() throws {
        let orders = try everyFutureOrder(for: [[.here, .onQueueUnderToken], [.onQueue, .onQueueUnderToken]]) {
            scene, forms in
            scene.dropsTasks = true
            for form in forms { _ = scene.hasGuest(form) }
            scene.settles(scene.player("completer"), .succeeded)
            scene.cancelsToken(scene.player("canceller"))
        }
        #expect(orders >= 1_185)
    }

    @Test func `of one who waits for many and has enough, one who observes it and one who settles it`() throws {
        let orders = try everyFutureOrder(for: [[.gathering, .race], [.here, .removable, .race]]) { scene, forms in
            let many = scene.hasGuest(forms[0])
            scene.player("many").add("has enough") { many.isOver = true }
            scene.comes(scene.player("observer"), forms[1])
            scene.settles(scene.player("completer"), .succeeded)
        }
        #expect(orders >= 76)
    }

    @Test func `of one who settles it with three there, and needs no break for them`() throws {
        let some: [Guest.Form] = [.here, .onQueue, .removable]
        let orders = try everyFutureOrder(for: [some, some, some]) { scene, forms in
            scene.patience = 0
            scene.mayRest = false
            for form in forms { _ = scene.hasGuest(form) }
            scene.settles(scene.player("completer"), .succeeded)
        }
        #expect(orders >= 130)
    }

    @Test func `of one who settles it, and two who come and make a break for each other`() throws {
        let some: [Guest.Form] = [.here, .onQueue, .removable, .waker]
        let orders = try everyFutureOrder(for: [some, some]) { scene, forms in
            scene.patience = 0
            scene.settles(scene.player("completer"), .succeeded)
            for (index, form) in forms.enumerated() { scene.comes(scene.player("\(index)"), form) }
        }
        #expect(orders >= 506)
    }

    @Test func `of one who settles it with somebody there, and two who come one after the other, with breaks`() throws {
        let orders = try everyFutureOrder(for: [[.here, .removable], [.here, .onQueue]]) { scene, forms in
            scene.patience = 0
            _ = scene.hasGuest(.here)
            scene.settles(scene.player("completer"), .succeeded)
            let observer = scene.player("observer")
            for form in forms { scene.comes(observer, form) }
        }
        #expect(orders >= 48)
    }

    @Test func `of one who settles it inside of a callback, and one who comes, with breaks`() throws {
        let orders = try everyFutureOrder(for: [[.here, .onQueue, .waker]]) { scene, forms in
            scene.patience = 0
            scene.usesDispatch = true
            _ = scene.hasGuest(.onQueue)
            scene.settles(scene.player("completer"), .succeeded, isInCallback: true)
            scene.comes(scene.player("observer"), forms[0])
        }
        #expect(orders >= 79)
    }

    @Test func `of one who settles it and comes, and two who come in his break and take over`() throws {
        let some: [Guest.Form] = [.here, .removable]
        let orders = try everyFutureOrder(for: [some, [.here], some]) { scene, forms in
            scene.patience = 0
            let one = scene.player("one")
            scene.settles(one, .succeeded)
            scene.comes(one, forms[0])
            let two = scene.player("two")
            for form in forms.dropFirst() { scene.comes(two, form) }
        }
        #expect(orders >= 66)
    }

    @Test func `of one who settles it, one who comes, and one who cancels the token, with breaks`() throws {
        let orders = try everyFutureOrder(for: [[.here, .waker], [.underToken, .onQueueUnderToken]]) { scene, forms in
            scene.patience = 0
            _ = scene.hasGuest(forms[0])
            scene.settles(scene.player("completer"), .succeeded)
            scene.comes(scene.player("observer"), forms[1])
            scene.cancelsToken(scene.player("canceller"))
        }
        #expect(orders >= 1_458)
    }

    @Test(arguments: [true, false])
    func `of three who produce it, until the last one has gone`(isCompleted: Bool) throws {
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
