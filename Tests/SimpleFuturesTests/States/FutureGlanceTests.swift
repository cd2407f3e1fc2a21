import Testing

@testable import SimpleFutures

// The critical sections are taken apart here, so that what needs no lock, the end of a delivery and a look at the
// future, comes in between each two of their parts.

@Suite("Future: every order of what needs no lock", .enabled(if: PublishedByte.isLockFree))
struct FutureGlanceTests {
    @Test(arguments: [FuturePhase.succeeded, .failed])
    func `a delivery that ends while somebody is added misses nobody`(phase: FuturePhase) throws {
        let forms: [Guest.Form] = [.here, .onQueue, .removable]
        let orders = try everyFutureOrder(for: [forms], isFine: true) { scene, forms in
            let completer = scene.player("completer")
            _ = scene.hasGuest(.here)
            scene.settles(completer, phase)
            scene.comes(scene.player("observer"), forms[0])
        }
        #expect(orders == (phase == .succeeded ? 277 : 124))
    }

    @Test func `a delivery that ends while two are added misses nobody`() throws {
        let orders = try everyFutureOrder(for: [[.here, .removable], [.removable]], isFine: true) { scene, forms in
            let completer = scene.player("completer")
            _ = scene.hasGuest(.here)
            scene.settles(completer, .succeeded)
            // Up to the end of the delivery.
            completer.takeSteps(4)
            for form in forms { scene.comes(scene.player("\(form)"), form) }
        }
        #expect(orders == 985)
    }

    @Test func `of one who settles it and two who look first, who was there first is told first`() throws {
        let orders = try everyFutureOrder(for: [[.here]], isFine: true) { scene, forms in
            scene.settles(scene.player("completer"), .succeeded)
            let observer = scene.player("observer")
            for _ in 0..<2 { scene.comes(observer, forms[0]) }
        }
        #expect(orders == 206)
    }

    @Test func `of two who settle it, one sees that he is too late, with the lock or without`() throws {
        let orders = try everyFutureOrder(for: [[.here, .waker, .gathering]], isFine: true) { scene, forms in
            _ = scene.hasGuest(forms[0])
            for (name, phase) in [("one", FuturePhase.succeeded), ("two", .failed)] {
                scene.settles(scene.player(name), phase)
            }
        }
        #expect(orders == 45)
    }
}
