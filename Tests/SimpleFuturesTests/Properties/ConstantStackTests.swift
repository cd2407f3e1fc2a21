import Dispatch
import SimpleFutures
import Testing

// A stack of 512 KiB has no room for 20,000 frames, however small. With SIMPLEFUTURES_STRESS every case has its full
// size of a million links or callbacks and 100,000 steps.

@Suite("Promise 7: constant stack, however long the chain and however it ends", .serialized)
struct ConstantStackTests {
    @Test(arguments: Structure.allCases, Ending.allCases)
    func `a chain of any length needs no more stack`(_ structure: Structure, _ ending: Ending) {
        for place in Place.allCases {
            let size = Stress.size(20_000, full: structure.size)
            #expect(onSmallStack { grow(structure, size, ending, place) } == nil, "on \(place)")
        }
    }

    @Test(arguments: [Structure.links, .callbacks])
    func `a million links or callbacks need no more stack`(_ structure: Structure) {
        #expect(onSmallStack { grow(structure, 1_000_000, .succeeded, .immediate) } == nil)
    }

    @Test(arguments: [Structure.gathering, .recursion, .nesting])
    func `a hundred thousand steps need no more stack`(_ structure: Structure) {
        #expect(onSmallStack { grow(structure, 100_000, .succeeded, .immediate) } == nil)
    }

    @Test func `a chain of captured promises, each broken by the callback of another, needs no more stack`() {
        let count = Stress.size(20_000, full: 1_000_000)
        let runs = onSmallStack {
            let runs = Box(0)
            var first: Promise<Int>? = Promise()
            for _ in 0..<count {
                let next = Promise<Int>()
                let captured = first
                next.future.onComplete(context: ImmediateContext()) { _ in
                    runs.increment()
                    withExtendedLifetime(captured) {}
                }
                first = next
            }
            first = nil
            return runs.value
        }
        #expect(runs == count)
    }

    @Test func `a chain of captured futures, each released by the callback of another, needs no more stack`() async {
        await #expect(processExitsWith: .success) {
            let count = Stress.size(20_000, full: 1_000_000)
            let runs = onSmallStack {
                let runs = Box(0)
                var first: Future<Int>? = Future()
                for _ in 0..<count {
                    let next = Future<Int>()
                    let captured = first
                    next.onSuccess(context: ImmediateContext()) { _ in withExtendedLifetime(captured) {} }
                    next.onFailure(context: ImmediateContext()) { _ in runs.increment() }
                    first = next
                }
                first = nil
                return runs.value
            }
            precondition(runs == count)
        }
    }

    @Test func `a chain of tokens, each cancelled by the handler of another, needs no more stack`() {
        let count = Stress.size(20_000, full: 1_000_000)
        let isCancelled = onSmallStack {
            let first = CancelToken()
            var last = first
            for _ in 0..<count {
                let next = CancelToken()
                last.onCancel { next.cancel() }
                last = next
            }
            first.cancel()
            return last.isCancelled
        }
        #expect(isCancelled)
    }

    @Test func `a chain of tokens that are merely released needs no more stack`() {
        let count = Stress.size(20_000, full: 1_000_000)
        onSmallStack {
            var last = CancelToken()
            for _ in 0..<count {
                let next = CancelToken()
                let captured = last
                next.onCancel { captured.cancel() }
                last = next
            }
        }
    }

    @Test func `tasks that a context drops while it drops others need no more stack`() {
        let count = Stress.size(20_000, full: 100_000)
        let isBroken = onSmallStack {
            let promise = Promise<Int>()
            var end = promise.future
            for _ in 0..<count {
                end = end.recover(context: DroppingContext()) { _ in 1 }
            }
            promise.failure(Failure())
            return end.result?.error is FuturesError
        }
        #expect(isBroken)
    }

    @Test func `a bounded traversal of what is there already needs no more stack`() {
        let count = 100_000
        let sum = onSmallStack {
            (0..<count).traverse(maxConcurrent: 1, context: ImmediateContext()) { Future(value: $0) }
                .result?.value?.count
        }
        #expect(sum == count)
    }

    @Test func `callbacks that wait for what is completed already need no more stack`() async {
        await #expect(processExitsWith: .success) {
            let runs = onSmallStack {
                let runs = Box(0)
                let completed = Future(value: 1)
                let promise = Promise<Int>()
                for _ in 0..<100_000 {
                    promise.future.onSuccess(context: ImmediateContext()) { _ in
                        _ = try? completed.wait()
                        runs.increment()
                    }
                }
                promise.success(1)
                return runs.value
            }
            precondition(runs == 100_000)
        }
    }
}

/// What a test builds a great many of.
enum Structure: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case links = "map links"
    case callbacks = "callbacks on one future"
    case gathering = "futures in a sequence"
    case recursion = "recursive flatMaps"
    case nesting = "nested completeWiths"

    var testDescription: String { rawValue }

    var size: Int {
        switch self {
        case .links, .callbacks: 1_000_000
        case .gathering, .recursion, .nesting: 100_000
        }
    }
}

/// How it ends.
enum Ending: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case succeeded, failed, cancelled, broken, released

    var testDescription: String { rawValue }
}

/// Builds a structure on a source, ends the source, and returns what is wrong with the end of the structure.
private func grow(_ structure: Structure, _ size: Int, _ ending: Ending, _ place: Place) -> String? {
    let spot = place.make()
    let origin = Origin(ending)
    let runs = Box(0)
    let end: Future<Int>
    switch structure {
    case .links:
        var last = origin.start(on: spot.context)
        for _ in 0..<size { last = last.map(context: spot.context) { $0 } }
        end = last
    case .callbacks:
        let start = origin.start(on: spot.context)
        for _ in 0..<size { start.onComplete(context: spot.context) { _ in runs.increment() } }
        // Last in the order of registration, so that it comes after the others.
        end = start.map(context: spot.context) { $0 }
    case .gathering:
        let start = origin.start(on: spot.context)
        let inputs = (0..<size).map { _ in start.map(context: spot.context) { $0 } }
        end = inputs.sequence().map(context: spot.context) { $0.count == size ? 1 : -1 }
    case .recursion:
        end = descend(size, origin.start(on: spot.context), spot.context)
    case .nesting:
        var last = origin.start(on: spot.context)
        for _ in 0..<size {
            let next = Promise<Int>()
            next.completeWith(future: last)
            last = next.future
        }
        end = last
    }
    let isOver = Gate()
    end.onComplete(context: ImmediateContext()) { _ in isOver.open() }
    end.onCancel(context: ImmediateContext()) { isOver.open() }
    origin.end()
    guard isOver.pass(within: 120) else { return "it has not ended" }
    if structure == .callbacks {
        spot.settle()
        guard runs.value == (ending == .cancelled ? 0 : size) else { return "\(runs.value) of \(size) have run" }
    }
    return ending.complaint(about: end)
}

private func descend(_ steps: Int, _ start: Future<Int>, _ context: any ExecutionContext) -> Future<Int> {
    guard steps > 0 else { return start }
    return Future(value: steps).flatMap(context: context) { descend($0 - 1, start, context) }
}

/// Where a structure starts, and what ends it.
private final class Origin: Sendable {
    private let ending: Ending
    private let token = CancelToken()
    private let promise = Box<Promise<Int>?>(Promise())
    private let bare = Box<Future<Int>?>(Future())

    init(_ ending: Ending) { self.ending = ending }

    /// The source itself would not be released as long as the structure holds it, hence the `map`.
    func start(on context: any ExecutionContext) -> Future<Int> {
        let source = ending == .released ? bare.value! : promise.value!.future
        return source.map(context: context, cancelToken: ending == .cancelled ? token : .none) { $0 }
    }

    func end() {
        switch ending {
        case .succeeded: promise.value?.success(1)
        case .failed: promise.value?.failure(Failure())
        case .cancelled: token.cancel()
        case .broken: promise.value = nil
        case .released: bare.value = nil
        }
    }
}

extension Ending {
    fileprivate func complaint(about end: Future<Int>) -> String? {
        let isRight =
            switch self {
            case .succeeded: end.result?.value == 1
            case .failed: end.result?.error is Failure
            case .cancelled: end.isCancelled
            case .broken, .released: end.result?.error is FuturesError
            }
        return isRight ? nil : "it is \(end.debugDescription)"
    }
}
