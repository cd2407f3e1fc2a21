import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promises 1 and 8: trees of tokens under two threads", .watchdog)
struct TokenTreeRaceTests {
    /// Made anew for each round.
    final class Arena: Sendable {
        let parent = Box<CancelToken?>(CancelToken())
        let other = CancelToken()
        let child: Box<CancelToken?>
        let runs = Box(0)
        /// How many handlers were released.
        let ends = Box(0)
        let promise = Promise<Int>()
        let manual = ManualContext()
        let registration = Box(Registration())

        init(_ make: (CancelToken) -> CancelToken? = { $0.child() }) { child = Box(make(parent.value!)) }

        @discardableResult
        func addHandler(to token: CancelToken?) -> Registration {
            let end = AtDeinit { [ends] in ends.increment() }
            return token?.onCancel { [runs] in
                end.use()
                runs.increment()
            } ?? Registration()
        }

        /// Lets go outside of the lock of the box.
        func drop(_ box: Box<CancelToken?>) { box.change { $0.take() } }

        func verifyNothingIsHeld(_ count: Int = 1) throws {
            try verify(parent.value?.registrationCount ?? 0 == 0, "the parent holds nothing")
            try verify(other.registrationCount == 0, "the other one holds nothing")
            try verify(ends.value == count, "\(ends.value) of \(count) handlers were released")
            try verify(manual.timerCount == 0, "no timer is left")
        }
    }

    @Test func `a handler of a child that is dropped while the parent is cancelled runs once`() {
        race { () -> Arena in
            let arena = Arena()
            arena.addHandler(to: arena.child.value)
            return arena
        } _: { arena in
            arena.parent.value!.cancel()
        } _: { arena in
            arena.drop(arena.child)
        } check: { arena in
            try verify(arena.runs.value == 1, "it runs once, not \(arena.runs.value) times")
            try arena.verifyNothingIsHeld()
        }
    }

    @Test func `a child without a handler may be dropped while the parent is cancelled`() {
        race {
            Arena { $0.child().child() }
        } _: { arena in
            arena.drop(arena.child)
        } _: { arena in
            arena.parent.value!.cancel()
        } check: { arena in
            try arena.verifyNothingIsHeld(0)
        }
    }

    @Test(arguments: [true, false])
    func `a handler that is taken away while the parent is cancelled runs, or is taken away`(isDropped: Bool) {
        let isTaken = Box(false)
        race { () -> Arena in
            let arena = Arena()
            arena.registration.value = arena.addHandler(to: arena.child.value)
            if isDropped { arena.drop(arena.child) }
            return arena
        } _: { arena in
            isTaken.value = arena.registration.value.cancel()
        } _: { arena in
            arena.parent.value!.cancel()
        } check: { arena in
            try verify(arena.runs.value == (isTaken.value ? 0 : 1), "taken: \(isTaken.value), \(arena.runs.value) runs")
            try arena.verifyNothingIsHeld()
        }
    }

    @Test(arguments: [true, false])
    func `any of two that are cancelled on two threads runs its handlers once`(isDropped: Bool) {
        race { () -> Arena in
            let arena = Arena()
            arena.child.value = CancelToken(anyOf: arena.parent.value!.child(), arena.other.child(), arena.other)
            arena.addHandler(to: arena.child.value)
            arena.addHandler(to: arena.child.value?.child())
            if isDropped { arena.drop(arena.child) }
            return arena
        } _: { arena in
            arena.parent.value!.cancel()
        } _: { arena in
            arena.other.cancel()
        } check: { arena in
            try verify(arena.runs.value == 2, "both run once, not \(arena.runs.value) times")
            try arena.verifyNothingIsHeld(2)
        }
    }

    @Test func `a deadline that passes while its token is cancelled by hand runs its handlers once`() {
        race { () -> Arena in
            let arena = Arena()
            arena.child.value = CancelToken(after: .seconds(1), context: arena.manual)
            arena.addHandler(to: arena.child.value?.child())
            return arena
        } _: { arena in
            arena.child.value!.cancel()
        } _: { arena in
            arena.manual.advance(by: .seconds(1))
        } check: { arena in
            try verify(arena.runs.value == 1, "it runs once, not \(arena.runs.value) times")
            try arena.verifyNothingIsHeld()
        }
    }

    @Test(arguments: [true, false])
    func `a deadline that passes while its token is dropped runs its handlers`(isHandled: Bool) {
        race { () -> Arena in
            let arena = Arena()
            arena.child.value = CancelToken(after: .seconds(1), context: arena.manual)
            if isHandled { arena.addHandler(to: arena.child.value) }
            return arena
        } _: { arena in
            arena.drop(arena.child)
        } _: { arena in
            arena.manual.advance(by: .seconds(1))
        } check: { arena in
            try verify(arena.runs.value == (isHandled ? 1 : 0), "\(arena.runs.value) runs")
            try arena.verifyNothingIsHeld(isHandled ? 1 : 0)
        }
    }

    @Test(arguments: [true, false])
    func `a child that is made while the parent is cancelled is cancelled`(isOfTwo: Bool) {
        race { () -> Arena in
            let arena = Arena()
            arena.drop(arena.child)
            return arena
        } _: { arena in
            let parent = arena.parent.value!
            let child = isOfTwo ? CancelToken(anyOf: arena.other, parent) : parent.child()
            arena.addHandler(to: child)
            arena.child.value = child
        } _: { arena in
            arena.parent.value!.cancel()
        } check: { arena in
            try verify(arena.child.value?.isCancelled == true, "the child is cancelled")
            try verify(arena.runs.value == 1, "its handler runs once, not \(arena.runs.value) times")
            try arena.verifyNothingIsHeld()
        }
    }

    @Test func `a grandchild that is made while the root is cancelled is cancelled`() {
        race {
            Arena { $0.child().child() }
        } _: { arena in
            let grandchild = arena.child.value?.child()
            arena.addHandler(to: grandchild)
            arena.child.value = grandchild
        } _: { arena in
            arena.parent.value!.cancel()
        } check: { arena in
            try verify(arena.child.value?.isCancelled == true, "the grandchild is cancelled")
            try verify(arena.runs.value == 1, "its handler runs once, not \(arena.runs.value) times")
            try arena.verifyNothingIsHeld()
        }
    }

    @Test func `any of many that is made while the first is cancelled holds nothing of the others`() {
        let made = Box<[CancelToken]>([])
        race { () -> Arena in
            let arena = Arena()
            // So many that the cancellation comes while they are gone through.
            made.value = [arena.parent.value!] + Array(repeating: arena.other, count: 64)
            return arena
        } _: { arena in
            arena.child.value = CancelToken(anyOf: made.value)
        } _: { arena in
            arena.parent.value!.cancel()
        } check: { arena in
            try verify(arena.child.value?.isCancelled == true, "it is cancelled")
            try verify(arena.other.registrationCount == 0, "the others hold \(arena.other.registrationCount)")
        }
    }

    @Test func `handlers whose last handle goes while the parent goes are released`() {
        race { () -> Arena in
            let arena = Arena()
            arena.addHandler(to: arena.child.value)
            arena.addHandler(to: arena.child.value?.child())
            return arena
        } _: { arena in
            arena.drop(arena.child)
        } _: { arena in
            arena.drop(arena.parent)
        } check: { arena in
            try verify(arena.runs.value == 0, "they do not run")
            try arena.verifyNothingIsHeld(2)
        }
    }

    @Test func `of two parents one that goes does not keep the other from cancelling`() {
        race { () -> Arena in
            let arena = Arena()
            arena.child.value = CancelToken(anyOf: arena.parent.value!, arena.other)
            arena.addHandler(to: arena.child.value)
            arena.drop(arena.child)
            return arena
        } _: { arena in
            arena.drop(arena.parent)
        } _: { arena in
            arena.other.cancel()
        } check: { arena in
            try verify(arena.runs.value == 1, "it runs once, not \(arena.runs.value) times")
            try arena.verifyNothingIsHeld()
        }
    }

    @Test(arguments: Place.allCases)
    func `what is registered under a child while the parent is cancelled is detached or runs`(_ place: Place) {
        let spot = place.make()
        race {
            Arena()
        } _: { arena in
            arena.promise.future.onSuccess(context: spot.context, cancelToken: arena.child.value!) {
                [runs = arena.runs] _ in
                runs.increment()
            }
        } _: { arena in
            arena.parent.value!.cancel()
        } check: { arena in
            try verify(arena.promise.future.observerCount == 0, "it is detached")
            arena.promise.success(1)
            spot.settle()
            try verify(arena.runs.value == 0, "it does not run")
            try verify(arena.child.value?.registrationCount == 0, "the child holds nothing")
        }
    }

    @Test(arguments: Place.allCases)
    func `work under a dropped child that ends while the parent is cancelled leaves nothing behind`(_ place: Place) {
        let spot = place.make()
        race { () -> Arena in
            let arena = Arena()
            let end = AtDeinit { [ends = arena.ends] in ends.increment() }
            arena.promise.future.onSuccess(context: spot.context, cancelToken: arena.child.value!) {
                [runs = arena.runs] _ in
                end.use()
                runs.increment()
            }
            arena.drop(arena.child)
            return arena
        } _: { arena in
            arena.promise.success(1)
        } _: { arena in
            arena.parent.value!.cancel()
        } check: { arena in
            spot.settle()
            try verify(arena.runs.value <= 1, "it runs once or never")
            try arena.verifyNothingIsHeld()
        }
    }
}
