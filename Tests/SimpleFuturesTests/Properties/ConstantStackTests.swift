import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

// A stack of 512 KiB has no room for 8,000 steps of 65 bytes, or 3,000 of 174. With SIMPLEFUTURES_STRESS every case has
// its full size of a million links or callbacks and 100,000 steps; without it one case of each kind has a fifth of
// that. Each kind runs in a process of its own, because a stack overflow ends the process.

@Suite("Promise 7: constant stack for chains of any length and any ending", .watchdog, .serialized)
struct ConstantStackTests {
    @Test(arguments: Structure.allCases)
    func `a chain of any length needs constant stack`(_ structure: Structure) async {
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
    func `very many links, callbacks or steps need constant stack`(_ structure: Structure) async {
        await #expect(processExitsWith: .success) { [structure] in
            let size = Stress.size(structure.size / 5, full: structure.size)
            let complaint = onSmallStack { grow(structure, size, .succeeded, .immediate) }
            precondition(complaint == nil, complaint!)
        }
    }

    @Test func `a chain of links of any one combinator needs constant stack`() async {
        await #expect(processExitsWith: .success) {
            for combinator in FutureCombinator.all where !combinator.waits && !combinator.isLate {
                for ending in Ending.allCases {
                    let hasEnded = onSmallStack(kilobytes: 256) {
                        let origin = Origin(ending)
                        var last = origin.start(on: immediate)
                        for _ in 0..<Stress.size(1_500, full: 100_000) { last = combinator.apply(to: last) }
                        origin.end()
                        return last.ended != .pending
                    }
                    precondition(hasEnded, "\(combinator), \(ending)")
                }
            }
        }
    }

    @Test(arguments: Strand.allCases)
    func `a chain held together by captures needs constant stack`(_ strand: Strand) async {
        await #expect(processExitsWith: .success) { [strand] in
            let count = Stress.size(8_000, full: 1_000_000)
            precondition(onSmallStack { strand.unravel(count) } == count)
        }
    }

    @Test func `tasks dropped while their context drops others need constant stack`() async {
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

    @Test func `a chain on an inline context that completes futures needs constant stack`() async {
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

    @Test func `a bounded traversal of completed futures needs constant stack`() async {
        await #expect(processExitsWith: .success) {
            let count = Stress.size(8_000, full: 100_000)
            let all = onSmallStack {
                (0..<count).traverse(maxConcurrent: 1, context: ImmediateContext()) { Future(value: $0) }.result?.value
            }
            precondition(all == Array(0..<count))
        }
    }

    @Test func `callbacks that wait for completed futures need constant stack`() async {
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

    // MARK: Streams

    @Test func `a chain of streams of any one combinator needs constant stack`() async {
        await #expect(processExitsWith: .success) {
            for combinator in StreamCombinator.all where !combinator.waits {
                for conclusion in Conclusion.allCases {
                    let complaint = onSmallStack(kilobytes: 256) {
                        let size = Stress.size(1_500, full: 100_000)
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
                    let size = Stress.size(ground == .queue ? 3_000 : 8_000, full: 100_000)
                    return conclusion.complaint(size, StreamCombinator.all[0], on: ground.context(ManualContext()))
                }
                precondition(complaint == nil, "\(conclusion): \(complaint!)")
            }
        }
    }

    @Test(arguments: Ground.allCases)
    func `very many elements emitted by callbacks need constant stack`(_ ground: Ground) async {
        await #expect(processExitsWith: .success) { [ground] in
            let size = Stress.size(8_000, full: 100_000)
            let last = onSmallStack {
                let manual = ManualContext()
                let context = ground.context(manual)
                let stream = FutureStream<Int>(capacity: 0)
                let last = Box(0)
                let done = Signal()
                stream.onSuccess(context: context) { value in
                    last.value = value
                    if value < size { stream.success(value + 1) } else { done.open() }
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
                manual.run()
                return last.value
            }
            precondition(last == size, "\(last)")
        }
    }

    @Test(arguments: [Ground.immediate, .inline, .mainImmediate])
    func `two streams that feed each other need constant stack`(_ ground: Ground) async {
        await #expect(processExitsWith: .success) { [ground] in
            let last = onSmallStack {
                let context = ground.context(ManualContext())
                let there = FutureStream<Int>(capacity: 0)
                let back = FutureStream<Int>(capacity: 0)
                let last = Box(0)
                let done = Signal()
                there.onSuccess(context: context) { back.success($0 + 1) }
                back.onSuccess(context: context) { value in
                    last.value = value
                    if value < 20_000 { there.success(value) } else { done.open() }
                }
                if ground == .mainImmediate {
                    DispatchQueue.main.async { there.success(0) }
                } else {
                    there.success(0)
                }
                precondition(done.pass())
                there.finish()
                back.finish()
                return last.value
            }
            precondition(last == 20_000)
        }
    }

    @Test func `a million elements and a million subscribers are released with little stack`() async {
        await #expect(processExitsWith: .success) {
            let size = Stress.size(8_000, full: 1_000_000)
            let ends = onSmallStack {
                let ends = Box(0)
                var stream: FutureStream<AtDeinit>? = FutureStream()
                for _ in 0..<size {
                    stream?.onFinish(context: ImmediateContext()) { ends.increment() }
                    stream?.onCancel(context: ImmediateContext()) {}
                }
                for _ in 0..<size { stream?.success(AtDeinit { ends.increment() }) }
                stream = nil
                return ends.value
            }
            precondition(ends == 2 * size, "\(ends)")
        }
    }

    @Test func `subscribers that lag far behind are released with little stack`() async {
        await #expect(processExitsWith: .success) {
            let size = Stress.size(8_000, full: 1_000_000)
            onSmallStack {
                let token = CancelToken()
                let context = ManualContext()
                let stream = FutureStream<AtDeinit>(capacity: 0)
                let ends = Box(0)
                stream.onSuccess(context: context, cancelToken: token) { $0.use() }
                for _ in 0..<size { stream.success(AtDeinit { ends.increment() }) }
                precondition(ends.value == 0)
                token.cancel()
                precondition(ends.value == size, "\(ends.value)")
                context.run()
            }
        }
    }

    @Test func `streams held together by captures are released with little stack`() async {
        await #expect(processExitsWith: .success) {
            let size = Stress.size(8_000, full: 100_000)
            let ends = onSmallStack {
                let ends = Box(0)
                var first: StreamPromise<Int>? = StreamPromise()
                for _ in 0..<size {
                    let next = StreamPromise<Int>()
                    next.stream.onSuccess(context: ImmediateContext()) { [first] _ in
                        withExtendedLifetime(first) {}
                    }
                    next.stream.onFinish(context: ImmediateContext()) { ends.increment() }
                    first = next
                }
                first = nil
                return ends.value
            }
            precondition(ends == size, "\(ends)")
        }
    }

    @Test func `elements whose release evicts other elements need constant stack`() async {
        await #expect(processExitsWith: .success) {
            let isReached = onSmallStack {
                let last = Box(false)
                // Shared, so that only the elements of the streams are released during the test.
                let nothing = AtDeinit {}
                var next: FutureStream<AtDeinit>?
                for _ in 0..<Stress.size(8_000, full: 100_000) {
                    let stream = FutureStream<AtDeinit>(capacity: 1)
                    stream.success(
                        AtDeinit { [next] in if let next { next.success(nothing) } else { last.value = true } })
                    next = stream
                }
                next?.success(nothing)
                return last.value
            }
            precondition(isReached)
        }
    }

    @Test func `tasks of streams dropped while their context drops others need constant stack`() async {
        await #expect(processExitsWith: .success) {
            let isBroken = onSmallStack {
                let source = FutureStream<Int>()
                var last = source
                for _ in 0..<Stress.size(8_000, full: 100_000) {
                    last = last.recover(context: DroppingContext()) { _ in 1 }
                }
                source.success(1)
                return last.state == [.broken, .finish]
            }
            precondition(isBroken)
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

/// A chain in which each link is captured by a callback of the next one.
enum Strand: String, CaseIterable, Codable, Sendable, CustomTestStringConvertible {
    case promises = "promises, each broken as the callback of another is released"
    case futures = "futures, each released with the callback of another"
    case cancelledTokens = "tokens, each cancelled by the handler of another"
    case releasedTokens = "tokens, each released with the handler of another"
    case registrations = "handlers, each taken away as another is released"
    case detachedCallbacks = "callbacks, each detached as another is released"

    var testDescription: String { rawValue }

    /// Returns the number of links that have ended.
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

/// A large structure of futures or streams that a test builds.
enum Structure: String, CaseIterable, Codable, Sendable, CustomTestStringConvertible {
    case links = "map links"
    case callbacks = "callbacks on one future"
    case recursion = "recursive flatMaps"

    var testDescription: String { rawValue }

    var size: Int {
        switch self {
        case .links, .callbacks: 1_000_000
        case .recursion: 100_000
        }
    }
}

/// The way in which the source of a structure ends.
enum Ending: String, CaseIterable, Sendable { case succeeded, failed, cancelled, broken, released }

/// Builds a structure on a source, ends the source, and returns a complaint about the structure's end, or nil.
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
        // Registered last, so that it runs after the other callbacks.
        end = start.map(context: spot.context) { $0 }
    case .recursion:
        end = descend(size, origin.start(on: spot.context), spot.context)
    }
    let isOver = Signal()
    end.onComplete(context: ImmediateContext()) { _ in isOver.open() }
    end.onCancel(context: ImmediateContext()) { isOver.open() }
    origin.end()
    guard isOver.pass() else { return "it has not ended" }
    // The process can exit only when the queue is empty.
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

/// The source of a structure, and the means to end it.
private final class Origin: Sendable {
    private let ending: Ending
    private let token = CancelToken()
    private let promise = Box<Promise<Int>?>(Promise())
    private let bare = Box<Future<Int>?>(Future())

    init(_ ending: Ending) { self.ending = ending }

    /// Derives a future by `map`: the structure holds its source, so the source itself would never be released.
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

/// The way in which a chain of streams ends.
enum Conclusion: String, CaseIterable, Sendable {
    case finished, cancelled, released

    /// Emits through a chain of links, ends it, and returns a complaint about the result, or nil.
    func complaint(_ size: Int, _ combinator: StreamCombinator, on context: any ExecutionContext = immediate) -> String?
    {
        let token = CancelToken()
        let promise = Box<StreamPromise<Int>?>(StreamPromise(capacity: 0))
        var last = promise.value!.stream.map(context: immediate, cancelToken: token) { $0 }
        for _ in 0..<size { last = combinator.apply(to: last, on: context) }
        let log = last.heard()
        let isOver = Signal()
        last.onFinish(context: immediate) { isOver.open() }
        last.onCancel(context: immediate) { isOver.open() }
        let isHere = Signal()
        last.onComplete(context: immediate) { _ in isHere.open() }
        promise.value?.success(1)
        guard isHere.pass() else { return "the value has not come" }
        promise.value?.failure(Oops.source)
        guard isHere.pass() else { return "the error has not come" }
        switch self {
        case .finished: promise.value?.finish()
        case .cancelled: token.cancel()
        case .released: promise.value = nil
        }
        guard isOver.pass() else { return "it has not ended" }
        // The last task may not have returned yet.
        (context as? DispatchQueue)?.sync {}
        DispatchQueue.main.sync {}
        let expected: [Heard<Int>] = [1, combinator.passedOn(.source), self == .cancelled ? .cancel : .finish]
        return log.all == expected ? nil : "it has heard \(log.all)"
    }
}

/// The context of a callback that emits.
enum Ground: String, CaseIterable, Codable, Sendable, CustomTestStringConvertible {
    case immediate, inline, depth, queue, concurrentQueue, manual, main, mainImmediate

    var testDescription: String { rawValue }

    func context(_ manual: ManualContext) -> any ExecutionContext {
        switch self {
        case .immediate: ImmediateContext()
        case .inline: InlineContext()
        case .depth: MaxStackDepthContext()
        case .queue: DispatchQueue(label: "ground")
        case .concurrentQueue: DispatchQueue(label: "ground", attributes: .concurrent)
        case .manual: manual
        case .main: QueueContext.main
        case .mainImmediate: QueueContext.mainImmediate
        }
    }
}
