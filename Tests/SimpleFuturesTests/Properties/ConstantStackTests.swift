import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

// A stack of 512 KiB has no room for 8,000 steps of 65 bytes. With SIMPLEFUTURES_STRESS every case has its full size of
// a million links or callbacks and 100,000 steps; without it one case of each kind has a fifth of that. Each kind has a
// process of its own, which a stack that overflows ends.

@Suite("Promise 7: constant stack, however long the chain and however it ends", .watchdog, .serialized)
struct ConstantStackTests {
    @Test(arguments: Structure.allCases)
    func `a chain of any length needs no more stack`(_ structure: Structure) async {
        await #expect(processExitsWith: .success) { [structure] in
            let size = Stress.size(8_000, full: structure.size)
            for ending in Ending.allCases {
                for place in Place.allCases {
                    let complaint = onSmallStack { grow(structure, size, ending, place) }
                    precondition(complaint == nil, "\(ending), on \(place): \(complaint!)")
                }
            }
        }
    }

    @Test(arguments: Structure.allCases)
    func `very many links, callbacks or steps need no more stack`(_ structure: Structure) async {
        await #expect(processExitsWith: .success) { [structure] in
            let size = Stress.size(structure.size / 5, full: structure.size)
            let complaint = onSmallStack { grow(structure, size, .succeeded, .immediate) }
            precondition(complaint == nil, complaint!)
        }
    }

    @Test(arguments: Strand.allCases)
    func `a chain that hangs together by captures needs no more stack`(_ strand: Strand) async {
        await #expect(processExitsWith: .success) { [strand] in
            let count = Stress.size(8_000, full: 1_000_000)
            precondition(onSmallStack { strand.unravel(count) } == count)
        }
    }

    @Test func `tasks that a context drops while it drops others need no more stack`() async {
        await #expect(processExitsWith: .success) {
            let isBroken = onSmallStack {
                let promise = Promise<Int>()
                var end = promise.future
                for _ in 0..<Stress.size(8_000, full: 100_000) {
                    end = end.recover(context: DroppingContext()) { _ in 1 }
                }
                promise.failure(Failure())
                return end.result?.error is FuturesError
            }
            precondition(isBroken)
        }
    }

    @Test func `a chain on an inline context that itself completes futures needs no more stack`() async {
        await #expect(processExitsWith: .success) {
            let end = onSmallStack {
                let promise = Promise<Int>()
                var end = promise.future
                for _ in 0..<Stress.size(8_000, full: 1_000_000) { end = end.map(context: ReportingContext()) { $0 } }
                promise.success(1)
                return end.result?.value
            }
            precondition(end == 1)
        }
    }

    @Test func `a bounded traversal of what is there already needs no more stack`() async {
        await #expect(processExitsWith: .success) {
            let count = Stress.size(8_000, full: 100_000)
            let all = onSmallStack {
                (0..<count).traverse(maxConcurrent: 1, context: ImmediateContext()) { Future(value: $0) }.result?.value
            }
            precondition(all == Array(0..<count))
        }
    }

    @Test func `callbacks that wait for what is completed already need no more stack`() async {
        await #expect(processExitsWith: .success) {
            let runs = onSmallStack {
                let runs = Box(0)
                let completed = Future(value: 1)
                let promise = Promise<Int>()
                for _ in 0..<20_000 {
                    promise.future.onSuccess(context: ImmediateContext()) { _ in
                        _ = try? completed.wait()
                        runs.increment()
                    }
                }
                promise.success(1)
                return runs.value
            }
            precondition(runs == 20_000)
        }
    }
}

/// A context that tells a queue of each task before it runs it on the spot.
private struct ReportingContext: ExecutionContext {
    private static let queue = DispatchQueue(label: "reports")

    func execute(_ task: @escaping @Sendable () -> Void) {
        let report = Promise<Int>()
        report.future.onSuccess(context: Self.queue) { _ in }
        report.success(1)
        task()
    }
}

/// A chain each of whose links is captured by a callback of the next.
enum Strand: String, CaseIterable, Codable, Sendable, CustomTestStringConvertible {
    case promises = "promises, each broken as the callback of another is released"
    case futures = "futures, each released with the callback of another"
    case cancelledTokens = "tokens, each cancelled by the handler of another"
    case releasedTokens = "tokens, each released with the handler of another"
    case registrations = "handlers, each taken away as another is released"
    case detachedCallbacks = "callbacks, each detached as another is released"

    var testDescription: String { rawValue }

    /// How many links have come to their end.
    func unravel(_ count: Int) -> Int {
        let ends = Box(0)
        switch self {
        case .promises:
            var first: Promise<Int>? = Promise()
            for _ in 0..<count {
                let next = Promise<Int>()
                next.future.onComplete(context: ImmediateContext()) { [first] _ in
                    ends.increment()
                    withExtendedLifetime(first) {}
                }
                first = next
            }
            first = nil
        case .futures:
            var first: Future<Int>? = Future()
            for _ in 0..<count {
                let next = Future<Int>()
                next.onSuccess(context: ImmediateContext()) { [first] _ in withExtendedLifetime(first) {} }
                next.onFailure(context: ImmediateContext()) { _ in ends.increment() }
                first = next
            }
            first = nil
        case .cancelledTokens:
            let first = CancelToken()
            var last = first
            for _ in 0..<count {
                let next = CancelToken()
                last.onCancel {
                    ends.increment()
                    next.cancel()
                }
                last = next
            }
            first.cancel()
        case .releasedTokens:
            var first: CancelToken? = CancelToken()
            for _ in 0..<count {
                let next = CancelToken()
                let end = AtDeinit { ends.increment() }
                next.onCancel { [first] in
                    end.use()
                    first?.cancel()
                }
                first = next
            }
            first = nil
        case .registrations:
            let token = CancelToken()
            var last = Registration()
            for _ in 0..<count {
                let end = AtDeinit { [last] in
                    ends.increment()
                    last.cancel()
                }
                last = token.onCancel { end.use() }
            }
            last.cancel()
        case .detachedCallbacks:
            let future = Future<Int>()
            var last = CancelToken()
            for _ in 0..<count {
                let end = AtDeinit { [last] in
                    ends.increment()
                    last.cancel()
                }
                last = CancelToken()
                future.onSuccess(context: ImmediateContext(), cancelToken: last) { _ in end.use() }
            }
            last.cancel()
        }
        return ends.value
    }
}

/// What a test builds a great many of.
enum Structure: String, CaseIterable, Codable, Sendable, CustomTestStringConvertible {
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
enum Ending: String, CaseIterable, Sendable { case succeeded, failed, cancelled, broken, released }

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
    let isOver = Signal()
    end.onComplete(context: ImmediateContext()) { _ in isOver.open() }
    end.onCancel(context: ImmediateContext()) { isOver.open() }
    origin.end()
    guard isOver.pass() else { return "it has not ended" }
    // The process may end only when the queue has nothing left to do.
    spot.settle()
    if structure == .callbacks {
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
