import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promises 1 and 8: trees of tokens under two threads", .watchdog)
struct TokenTreeRaceTests {
    /// The objects of one round.
    final class Arena: Sendable {
        let parent = Box<CancelToken?>(CancelToken())
        let other = CancelToken()
        let child: Box<CancelToken?>
        let runs = Box(0)
        /// The number of released handlers.
        let ends = Box(0)
        let promise = Promise<Int>()
        let manual = ManualContext()
        let registration = Box(Registration())

        init(_ prepare: Act = { _ in }) {
            child = Box(parent.value!.child())
            prepare(self)
        }

        @discardableResult
        func addHandler(to token: CancelToken?) -> Registration {
            let end = AtDeinit { [ends] in ends.increment() }
            return token?.onCancel { [runs] in
                end.use()
                runs.increment()
            } ?? Registration()
        }

        /// Empties the box, and releases the token outside the lock of the box.
        func drop(_ box: Box<CancelToken?>) { box.change { $0.take() } }

        func verifyNothingIsHeld(_ count: Int = 1) throws {
            try verify(parent.value?.registrationCount ?? 0 == 0, "the parent holds nothing")
            try verify(other.registrationCount == 0, "the other one holds nothing")
            try verify(ends.value == count, "\(ends.value) of \(count) handlers were released")
            try verify(manual.timerCount == 0, "no timer is left")
        }
    }

    typealias Act = @Sendable (Arena) -> Void

    private static let cancelParent: Act = { $0.parent.value!.cancel() }
    private static let cancelOther: Act = { $0.other.cancel() }
    private static let dropParent: Act = { $0.drop($0.parent) }
    private static let dropChild: Act = { $0.drop($0.child) }
    private static let passDeadline: Act = { $0.manual.advance(by: .seconds(1)) }

    /// Two racing steps on a tree of tokens, the number of handlers that have run at the end, and the total number.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let runs: Int
        let handlers: Int
        let first: Act
        let second: Act
        let prepare: Act

        init(
            _ name: String, runs: Int, of handlers: Int, _ first: @escaping Act, _ second: @escaping Act,
            prepare: @escaping Act
        ) {
            testDescription = name
            (self.runs, self.handlers) = (runs, handlers)
            (self.first, self.second, self.prepare) = (first, second, prepare)
        }

        static let all: [Case] =
            [
                .init("a child that is dropped while the parent is cancelled", runs: 1, of: 1, dropChild, cancelParent)
                { $0.addHandler(to: $0.child.value) },
                .init(
                    "a deadline that passes while its token is cancelled by hand", runs: 1, of: 1,
                    { $0.child.value!.cancel() }, passDeadline
                ) {
                    $0.child.value = CancelToken(after: .seconds(1), context: $0.manual)
                    $0.addHandler(to: $0.child.value?.child())
                },
                .init(
                    "a child that is made while the parent is cancelled", runs: 1, of: 1,
                    {
                        $0.child.value = $0.parent.value!.child()
                        $0.addHandler(to: $0.child.value)
                    }, cancelParent, prepare: dropChild),
                .init("handlers whose last handle goes while the parent goes", runs: 0, of: 2, dropChild, dropParent) {
                    $0.addHandler(to: $0.child.value)
                    $0.addHandler(to: $0.child.value?.child())
                },
                .init(
                    "a child of two, of which one goes while the other is cancelled", runs: 1, of: 1, dropParent,
                    cancelOther
                ) {
                    $0.child.value = CancelToken(anyOf: $0.parent.value!, $0.other)
                    $0.addHandler(to: $0.child.value)
                    $0.drop($0.child)
                },
            ]
            + [true, false].map { isDropped in
                .init(
                    "a \(isDropped ? "dropped " : "")child of two that are both cancelled", runs: 2, of: 2,
                    cancelParent, cancelOther
                ) {
                    $0.child.value = CancelToken(anyOf: $0.parent.value!.child(), $0.other.child(), $0.other)
                    $0.addHandler(to: $0.child.value)
                    $0.addHandler(to: $0.child.value?.child())
                    if isDropped { $0.drop($0.child) }
                }
            }
            + [0, 1].map { handlers in
                .init(
                    "a deadline with \(handlers) handlers that passes while it is dropped", runs: handlers,
                    of: handlers, dropChild, passDeadline
                ) {
                    $0.child.value = CancelToken(after: .seconds(1), context: $0.manual)
                    if handlers == 1 { $0.addHandler(to: $0.child.value) }
                }
            }
    }

    @Test(arguments: Case.all)
    func `each handler runs at most once, and all objects are released`(_ steps: Case) {
        race({ Arena(steps.prepare) }, steps.first, steps.second) { arena in
            try verify(arena.runs.value == steps.runs, "\(steps.runs) run, not \(arena.runs.value)")
            if steps.runs > 0, let child = arena.child.value { try verify(child.isCancelled, "the child is cancelled") }
            try arena.verifyNothingIsHeld(steps.handlers)
        }
    }

    @Test(arguments: [true, false])
    func `a handler that is removed while the parent is canceled either runs or is removed`(isDropped: Bool) {
        let isTaken = Box(false)
        race {
            Arena { arena in
                arena.registration.value = arena.addHandler(to: arena.child.value)
                if isDropped { arena.drop(arena.child) }
            }
        } _: { arena in
            isTaken.value = arena.registration.value.cancel()
        } _: { arena in
            arena.parent.value!.cancel()
        } check: { arena in
            try verify(arena.runs.value == (isTaken.value ? 0 : 1), "taken: \(isTaken.value), \(arena.runs.value) runs")
            try arena.verifyNothingIsHeld()
        }
    }

    @Test func `a token for any of many, made during the first one's cancellation, does not stay linked`() {
        let made = Box<[CancelToken]>([])
        race { () -> Arena in
            let arena = Arena()
            // So many tokens that the cancellation falls into their registration.
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

    @Test(arguments: Place.allCases)
    func `a callback registered with a child during the parent's cancellation is unsubscribed or runs`(_ place: Place) {
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
    func `work under a dropped child that ends while the parent is canceled leaves no registration`(_ place: Place) {
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
