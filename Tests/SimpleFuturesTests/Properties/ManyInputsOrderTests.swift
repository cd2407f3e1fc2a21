import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promises 1, 4 and 8: many inputs are combined one at a time, and none after the end", .watchdog)
struct ManyInputsOrderTests {
    @Test func `a value that arrives while another is being combined waits`() async {
        let promises = (0..<3).map { _ in Promise<Int>() }
        let (isInside, mayGoOn) = (Gate(), Gate())
        let log = Log<Int>()
        let folded = promises.map(\.future).fold(context: immediate, initial: 0) { sum, value in
            log.add(value)
            if value == 1 {
                isInside.open()
                mayGoOn.pass()
            }
            log.add(-value)
            return 10 * sum + value
        }
        await together(
            { promises[0].success(1) },
            {
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
        let token = CancelToken()
        let result = Box<Future<Int>?>(nil)
        let runs = Box(0)

        init(_ derive: (Arena) -> Future<Int>) { result.value = derive(self) }

        var inputs: [Future<Int>] { promises.map(\.future) }

        func succeed(_ indices: Int...) { for index in indices { promises[index].success(index) } }

        func fail(_ indices: Int...) { for index in indices { promises[index].failure(Oops.source) } }

        func verifyEnd(_ possible: [Outcome<Int>]) throws {
            let outcome = result.value?.ended ?? .pending
            try verify(possible.contains(outcome), "it is \(outcome)")
        }

        func verifyLosersLetGo() throws {
            try verify(inputs.allSatisfy { $0.observerCount == 0 }, "the losers hold nothing")
        }
    }

    /// A combinator that ends with one of its inputs.
    enum First: CaseIterable, Sendable {
        case completed, succeeded, found

        fileprivate func of(_ inputs: [Future<Int>], _ runs: Box<Int>) -> Future<Int> {
            switch self {
            case .completed: inputs.firstCompleted()
            case .succeeded: inputs.firstSucceeded()
            case .found:
                inputs.find(context: immediate) { _ in
                    runs.increment()
                    return true
                }
            }
        }
    }

    @Test(arguments: First.allCases)
    func `of two simultaneous inputs exactly one is the first`(_ first: First) {
        race({ Arena { first.of($0.inputs, $0.runs) } }, { $0.succeed(2, 0) }, { $0.succeed(1) }) { arena in
            try arena.verifyEnd([.success(2), .success(1)])
            try verify(arena.runs.value <= 2, "nothing is asked of a loser that comes later")
            try arena.verifyLosersLetGo()
        }
    }

    @Test(arguments: First.allCases, [true, false])
    func `when the last two inputs fail at the same time it ends once`(_ first: First, areCancelled: Bool) {
        race {
            Arena { arena in
                first.of(
                    arena.inputs.map { $0.map(context: immediate, cancelToken: arena.token) { $0 } }, arena.runs)
            }
        } _: { arena in
            arena.fail(0, 1)
        } _: { arena in
            if areCancelled { arena.token.cancel() } else { arena.fail(2, 3) }
        } check: { arena in
            let failure: any Error = first == .completed ? Oops.source : FuturesError.noSuchElement
            try arena.verifyEnd([.failure(failure)] + (areCancelled ? [.cancelled] : []))
            try arena.verifyLosersLetGo()
        }
    }

    @Test func `find returns a matching value in every race`() {
        race(
            { Arena { $0.inputs.find(context: immediate) { $0 == 3 } } }, { $0.succeed(0, 3) }, { $0.succeed(1, 2) }
        ) { arena in
            try arena.verifyEnd([.success(3)])
        }
    }

    @Test(arguments: Place.allCases, [true, false])
    func `values from two threads are combined one at a time and in order`(_ place: Place, isReduced: Bool) {
        let spot = place.make()
        race {
            Arena { arena in
                if isReduced { return arena.inputs.reduce(context: spot.context) { 10 * $0 + $1 } }
                return arena.inputs.fold(context: spot.context, initial: 0) { [runs = arena.runs] sum, value in
                    // Two steps at a time would lose one of them.
                    let seen = runs.value
                    for _ in 0..<20 { _ = runs.value }
                    runs.value = seen + 1
                    return 10 * sum + value
                }
            }
        } _: { arena in
            arena.succeed(0, 3)
        } _: { arena in
            arena.succeed(2, 1)
        } check: { arena in
            for _ in 0..<3 { spot.settle() }
            try arena.verifyEnd([.success(123)])
            try verify(isReduced || arena.runs.value == 4, "all are combined")
        }
    }

    @Test func `a context that drops the task of a fold that has ended causes no report`() async {
        await #expect(processExitsWith: .success) {
            let reports = Box(0)
            FuturesDiagnostics.handler = { _ in reports.increment() }
            var context: ManualContext? = ManualContext()
            let last = Promise<Int>()
            let sum = [Future(value: 1), last.future].fold(context: context ?? .init(), initial: 0) { $0 + $1 }
            last.failure(Failure())
            context = nil
            precondition(sum.result?.error is Failure && reports.value == 0)
        }
    }

    @Test(arguments: [true, false])
    func `a retry that is canceled while an attempt ends makes no other attempt`(succeeds: Bool) {
        race {
            Arena { arena in
                Future.retry(2, context: immediate, cancelToken: arena.token) {
                    [runs = arena.runs, inputs = arena.inputs] in
                    runs.increment()
                    return inputs[runs.value - 1]
                }
            }
        } _: { arena in
            if succeeds { arena.succeed(0) } else { arena.fail(0) }
        } _: { arena in
            arena.token.cancel()
        } check: { arena in
            try arena.verifyEnd([.cancelled] + (succeeds ? [.success(0)] : []))
            try verify(arena.runs.value <= 2, "\(arena.runs.value) attempts")
            try verify(arena.token.registrationCount == 0, "the token holds nothing")
            try arena.verifyLosersLetGo()
        }
    }
}
