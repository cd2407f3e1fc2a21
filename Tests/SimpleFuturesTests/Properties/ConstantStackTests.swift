import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

// A stack of 128 KiB has no room for 2,000 steps of 65 bytes, or 750 of 174. With SIMPLEFUTURES_STRESS every case has
// its full size of a million links or callbacks and 100,000 steps, and each combinator 25,000 links; without it one case
// of each kind has a tenth of that. Each kind runs in a process of its own, because a stack overflow ends the process.

@Suite("Promise 7: constant stack for chains of any length and any ending", .watchdog)
struct ConstantStackTests {
    @Test(arguments: Structure.allCases)
    func `a chain of any length needs constant stack`(_ structure: Structure) async {
        await #expect(processExitsWith: .success) { [structure] in
            let size = Stress.size(2_000, full: structure.size)
            for ending in Ending.allCases {
                for place in Place.allCases {
                    let complaint = onSmallStack { structure.grow(size, ending, place) }
                    precondition(complaint == nil, "\(ending), on \(place): \(complaint!)")
                }
            }
        }
    }

    @Test(arguments: Structure.allCases)
    func `very many links, callbacks or steps need constant stack`(_ structure: Structure) async {
        await #expect(processExitsWith: .success) { [structure] in
            let size = Stress.size(structure.size / 10, full: structure.size)
            let complaint = onSmallStack { structure.grow(size, .succeeded, .immediate) }
            precondition(complaint == nil, complaint!)
        }
    }

    @Test func `a chain of links of any one combinator needs constant stack`() async {
        await #expect(processExitsWith: .success) {
            for combinator in FutureCombinator.all where !combinator.waits && !combinator.isLate {
                for ending in Ending.allCases {
                    let hasEnded = onSmallStack(kilobytes: 64) {
                        let origin = Origin(ending)
                        var last = origin.start(on: immediate)
                        for _ in 0..<Stress.size(375, full: 25_000) { last = combinator.apply(to: last) }
                        origin.end()
                        return last.ended != .pending
                    }
                    precondition(hasEnded, "\(combinator), \(ending)")
                }
            }
        }
    }

    @Test func `a chain of streams of any one combinator needs constant stack`() async {
        await #expect(processExitsWith: .success) {
            for combinator in StreamCombinator.all where !combinator.waits {
                for conclusion in Conclusion.allCases {
                    let complaint = onSmallStack(kilobytes: 64) {
                        let size = Stress.size(375, full: 25_000)
                        return conclusion.complaint(combinator.name == "zip" ? size / 4 : size, combinator)
                    }
                    precondition(complaint == nil, "\(combinator), \(conclusion): \(complaint!)")
                }
            }
        }
    }

    @Test(arguments: [Ground.immediate, .inline, .queue, .mainImmediate])
    func `very many derived streams need constant stack on any context`(_ ground: Ground) async {
        await #expect(processExitsWith: .success) { [ground] in
            for conclusion in Conclusion.allCases {
                let complaint = onSmallStack {
                    let size = Stress.size(ground == .queue ? 750 : 2_000, full: 100_000)
                    return conclusion.complaint(size, StreamCombinator.all[0], on: ground.context(ManualContext()))
                }
                precondition(complaint == nil, "\(conclusion): \(complaint!)")
            }
        }
    }

    @Test(arguments: Ground.allCases)
    func `very many elements emitted by callbacks, their own or each other's, need constant stack`(
        _ ground: Ground
    ) async {
        await #expect(processExitsWith: .success) { [ground] in
            let size = Stress.size(2_000, full: 100_000)
            for isPair in ground.isOnThread ? [false, true] : [false] {
                let last = onSmallStack {
                    let (manual, last, done) = (ManualContext(), Box(0), Signal())
                    let context = ground.context(manual)
                    let stream = FutureStream<Int>(capacity: 0)
                    let next = isPair ? FutureStream<Int>(capacity: 0) : stream
                    if isPair { next.onSuccess(context: context) { stream.success($0) } }
                    stream.onSuccess(context: context) { value in
                        last.value = value
                        if value < size { next.success(value + 1) } else { done.open() }
                    }
                    if ground == .mainImmediate {
                        DispatchQueue.main.async { stream.success(1) }
                    } else {
                        stream.success(1)
                    }
                    manual.run()
                    precondition(done.pass())
                    // A callback that captures its own stream retains it until the stream ends.
                    stream.finish()
                    if isPair { next.finish() }
                    manual.run()
                    return last.value
                }
                precondition(last == size, "\(last)")
            }
        }
    }

    @Test(arguments: Strand.allCases)
    func `a chain held together by captures, and what a stream holds, need constant stack`(_ strand: Strand) async {
        await #expect(processExitsWith: .success) { [strand] in
            let count = Stress.size(2_000, full: strand.size)
            precondition(onSmallStack { strand.unravel(count) } == count)
        }
    }

    @Test(arguments: Series.allCases)
    func `very many calls inside of each other's callbacks need constant stack`(_ series: Series) async {
        await #expect(processExitsWith: .success) { [series] in
            let size = Stress.size(2_000, full: series == .reports ? 1_000_000 : 100_000)
            let isRight = onSmallStack { series.isRight(size) }
            precondition(isRight)
        }
    }
}

/// Calls that would be made inside of each other if the library did not prevent it.
enum Series: String, CaseIterable, Codable, Sendable, CustomTestStringConvertible {
    case reports = "links on an inline context that completes futures"
    case traversal = "a bounded traversal of completed futures"
    case waits = "callbacks that wait for completed futures"
    case waitsOfNoTime = "callbacks that wait with a timeout of zero, in which no other callback starts"
    case attempts = "attempts that fail at once"
    case throwingAttempts = "attempts that throw"
    case droppedTasks = "tasks dropped while their context drops others"
    case droppedTasksOfStreams = "tasks of streams dropped while their context drops others"

    var testDescription: String { rawValue }

    /// Makes the calls, and returns whether the result is right.
    func isRight(_ count: Int) -> Bool {
        let (promise, runs) = (Promise<Int>(), Box(0))
        var end = promise.future
        switch self {
        case .reports:
            for _ in 0..<count { end = end.map(context: ReportingContext()) { $0 } }
            promise.success(1)
            return end.result?.value == 1
        case .traversal:
            let all = (0..<count).traverse(maxConcurrent: 1, context: ImmediateContext()) { Future(value: $0) }
            return all.result?.value == Array(0..<count)
        case .waits, .waitsOfNoTime:
            let completed = Future(value: 1)
            for _ in 0..<2 * count {
                end.onSuccess(context: ImmediateContext()) { _ in
                    runs.increment()
                    if self == .waits { _ = try? completed.wait() } else { _ = try? Future<Int>().wait(timeout: .zero) }
                }
            }
            promise.success(1)
            return runs.value == 2 * count
        case .attempts, .throwingAttempts:
            let result = Future<Int>.retry(count, context: ImmediateContext()) {
                runs.increment()
                if self == .throwingAttempts { throw Failure() }
                return Future(error: Failure())
            }
            return result.result?.error is Failure && runs.value == count
        case .droppedTasks:
            for _ in 0..<count { end = end.recover(context: DroppingContext()) { _ in 1 } }
            promise.failure(Failure())
            return end.ended == .broken
        case .droppedTasksOfStreams:
            let source = FutureStream<Int>()
            var last = source
            for _ in 0..<count { last = last.recover(context: DroppingContext()) { _ in 1 } }
            source.success(1)
            return last.state == [.broken, .finish]
        }
    }
}

/// A context that reports each task to a queue before it runs the task inline.
private struct ReportingContext: ExecutionContext {
    private static let queue = DispatchQueue(label: "reports")

    func execute(_ task: @escaping @Sendable () -> Void) {
        let report = Promise<Int>()
        report.future.onSuccess(context: Self.queue) { _ in }
        report.success(1)
        task()
    }
}
