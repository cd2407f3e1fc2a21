import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promises 1, 4 and 8: many inputs are combined one at a time, and none after the end", .watchdog)
struct ManyInputsOrderTests {
    private let promises = (0..<3).map { _ in Promise<Int>() }
    private var inputs: [Future<Int>] { promises.map(\.future) }

    @Test func `a value that arrives while another is being combined waits`() async {
        let (isInside, mayGoOn) = (Gate(), Gate())
        let log = Log<Int>()
        let folded = inputs.fold(context: immediate, initial: 0) { sum, value in
            log.add(value)
            if value == 1 {
                isInside.open()
                mayGoOn.pass()
            }
            log.add(-value)
            return 10 * sum + value
        }
        await together(
            { [promises] in promises[0].success(1) },
            { [promises] in
                isInside.pass()
                promises[1].success(2)
                promises[2].success(3)
                mayGoOn.open()
            })
        #expect(log.all == [1, -1, 2, -2, 3, -3])
        #expect(folded.ended == .success(123))
    }

    // MARK: Two threads

    private final class Arena: Sendable {
        let promises = (0..<4).map { _ in Promise<Int>() }
        let manual = ManualContext()
        let token = CancelToken()
        let result = Box<Future<Int>?>(nil)
        let all = Box<Future<[Int]>?>(nil)
        let runs = Box(0)

        var inputs: [Future<Int>] { promises.map(\.future) }

        func succeed(_ indices: Int...) { for index in indices { promises[index].success(index) } }

        func verifyLosersLetGo() throws {
            try verify(inputs.allSatisfy { $0.observerCount == 0 }, "the losers hold nothing")
        }
    }

    /// A combinator that ends with one of its inputs.
    enum First: CaseIterable, Sendable { case completed, succeeded, found }

    @Test(arguments: First.allCases)
    func `of two simultaneous inputs exactly one is the first`(_ first: First) {
        race { () -> Arena in
            let arena = Arena()
            arena.result.value = start(first, arena)
            return arena
        } _: { arena in
            arena.succeed(2, 0)
        } _: { arena in
            arena.succeed(1)
        } check: { arena in
            let outcome = arena.result.value?.ended
            try verify([.success(2), .success(1)].contains(outcome), "it is \(outcome, default: "none")")
            try verify(arena.runs.value <= 2, "nothing is asked of a loser that comes later")
            try arena.verifyLosersLetGo()
        }
    }

    @Test(arguments: First.allCases, [true, false])
    func `when the last two inputs fail at the same time it ends once`(_ first: First, areCancelled: Bool) {
        race { () -> Arena in
            let arena = Arena()
            let kept = arena.inputs.map { $0.map(context: immediate, cancelToken: arena.token) { $0 } }
            arena.result.value = start(first, arena, of: kept)
            return arena
        } _: { arena in
            arena.promises[0].failure(Oops.source)
            arena.promises[1].failure(Oops.source)
        } _: { arena in
            if areCancelled {
                arena.token.cancel()
            } else {
                arena.promises[2].failure(Oops.source)
                arena.promises[3].failure(Oops.source)
            }
        } check: { arena in
            let outcome = arena.result.value?.ended
            let expected: [Outcome<Int>] =
                first == .completed
                ? [.failure(Oops.source)] + (areCancelled ? [.cancelled] : [])
                : [.failure(FuturesError.noSuchElement)] + (areCancelled ? [.cancelled] : [])
            try verify(outcome.map { expected.contains($0) } == true, "it is \(outcome, default: "none")")
            try arena.verifyLosersLetGo()
        }
    }

    private func start(_ first: First, _ arena: Arena, of inputs: [Future<Int>]? = nil) -> Future<Int> {
        let inputs = inputs ?? arena.inputs
        switch first {
        case .completed: return inputs.firstCompleted()
        case .succeeded: return inputs.firstSucceeded()
        case .found:
            return inputs.find(context: immediate) { [runs = arena.runs] _ in
                runs.increment()
                return true
            }
        }
    }

    @Test func `find returns a matching value in every race`() {
        race { () -> Arena in
            let arena = Arena()
            arena.result.value = arena.inputs.find(context: immediate) { $0 == 3 }
            return arena
        } _: { arena in
            arena.succeed(0, 3)
        } _: { arena in
            arena.succeed(1, 2)
        } check: { arena in
            try verify(
                arena.result.value?.ended == .success(3), "it is \(arena.result.value?.ended, default: "none")")
        }
    }

    @Test(arguments: Place.allCases, [true, false])
    func `values from two threads are combined one at a time and in order`(_ place: Place, isReduced: Bool) {
        let spot = place.make()
        race { () -> Arena in
            let arena = Arena()
            let runs = arena.runs
            arena.result.value =
                isReduced
                ? arena.inputs.reduce(context: spot.context) { 10 * $0 + $1 }
                : arena.inputs.fold(context: spot.context, initial: 0) { sum, value in
                    // Two steps at a time would lose one of them.
                    let seen = runs.value
                    for _ in 0..<20 { _ = runs.value }
                    runs.value = seen + 1
                    return 10 * sum + value
                }
            return arena
        } _: { arena in
            arena.succeed(0, 3)
        } _: { arena in
            arena.succeed(2, 1)
        } check: { arena in
            spot.settle()
            spot.settle()
            spot.settle()
            let outcome = arena.result.value?.ended
            try verify(outcome == .success(123), "it is \(outcome, default: "none")")
            try verify(isReduced || arena.runs.value == 4, "all are combined")
        }
    }

    @Test(arguments: Place.allCases)
    func `a failure during the combining of values ends a fold once`(_ place: Place) {
        let spot = place.make()
        race { () -> Arena in
            let arena = Arena()
            arena.result.value = arena.inputs.fold(context: spot.context, initial: 0) { 10 * $0 + $1 }
            arena.succeed(2)
            return arena
        } _: { arena in
            arena.succeed(0, 1)
        } _: { arena in
            arena.promises[3].failure(Oops.source)
        } check: { arena in
            spot.settle()
            let outcome = arena.result.value?.ended
            try verify(outcome == .failure(Oops.source), "it is \(outcome, default: "none")")
            try arena.verifyLosersLetGo()
        }
    }

    @Test(arguments: [true, false])
    func `a retry that is canceled while an attempt ends makes no other attempt`(succeeds: Bool) {
        race { () -> Arena in
            let arena = Arena()
            arena.result.value = Future.retry(2, context: immediate, cancelToken: arena.token) { [runs = arena.runs] in
                runs.increment()
                return arena.promises[runs.value - 1].future
            }
            return arena
        } _: { arena in
            if succeeds { arena.succeed(0) } else { arena.promises[0].failure(Oops.source) }
        } _: { arena in
            arena.token.cancel()
        } check: { arena in
            let outcome = arena.result.value?.ended
            try verify(outcome == .cancelled || (succeeds && outcome == .success(0)), "\(outcome, default: "none")")
            try verify(arena.runs.value <= 2, "\(arena.runs.value) attempts")
            try verify(arena.token.registrationCount == 0, "the token holds nothing")
            try arena.verifyLosersLetGo()
        }
    }

    @Test func `a retry that is canceled during its delay leaves no timer`() {
        race { () -> Arena in
            let arena = Arena()
            arena.result.value = Future.retry(
                2, delay: .seconds(1), context: arena.manual, cancelToken: arena.token
            ) { [runs = arena.runs] in
                runs.increment()
                throw Oops.thrown
            }
            arena.manual.run()
            return arena
        } _: { arena in
            arena.manual.advance(by: .seconds(1))
        } _: { arena in
            arena.token.cancel()
        } check: { arena in
            arena.manual.run()
            let outcome = arena.result.value?.ended
            try verify(outcome == .cancelled || outcome == .failure(Oops.thrown), "\(outcome, default: "none")")
            try verify(arena.manual.pendingCount == 0, "\(arena.manual.pendingCount) tasks are left")
            try verify(arena.token.registrationCount == 0, "the token holds nothing")
        }
    }
}
