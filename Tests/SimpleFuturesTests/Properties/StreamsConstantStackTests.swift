import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

// As for futures: a stack of 512 KiB, each case in a process of its own, and the full size with SIMPLEFUTURES_STRESS.

@Suite("Promise 7, streams: constant stack, however long the chain and however it ends", .watchdog, .serialized)
struct StreamsConstantStackTests {
    @Test(arguments: Chain.allCases)
    func `a chain of derived streams needs no more stack`(_ chain: Chain) async {
        await #expect(processExitsWith: .success) { [chain] in
            for conclusion in Conclusion.allCases {
                let complaint = onSmallStack { chain.run(Stress.size(3_000, full: 100_000), conclusion) }
                precondition(complaint == nil, "\(conclusion): \(complaint!)")
            }
        }
    }

    @Test(arguments: [Chain.map, .mainImmediateMap])
    func `very many derived streams need no more stack`(_ chain: Chain) async {
        await #expect(processExitsWith: .success) { [chain] in
            let complaint = onSmallStack { chain.run(Stress.size(8_000, full: 100_000), .cancelled) }
            precondition(complaint == nil, complaint!)
        }
    }

    @Test(arguments: Ground.allCases)
    func `very many elements that callbacks emit need no more stack`(_ ground: Ground) async {
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
                // A callback that holds its own stream holds it until the end.
                stream.finish()
                manual.run()
                return last.value
            }
            precondition(last == size, "\(last)")
        }
    }

    @Test(arguments: [Ground.immediate, .inline, .mainImmediate])
    func `two streams that feed each other need no more stack`(_ ground: Ground) async {
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

    @Test func `subscribers that lag by a long log are released with little stack`() async {
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

    @Test func `streams that hang together by captures are released with little stack`() async {
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

    @Test func `elements that drive others out as they are released need no more stack`() async {
        await #expect(processExitsWith: .success) {
            let isReached = onSmallStack {
                let last = Box(false)
                // Shared, so that only the elements of the streams are released on the way.
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

    @Test func `tasks that a context drops while it drops others need no more stack`() async {
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

/// How a stream is derived from the one before.
enum Chain: String, CaseIterable, Codable, Sendable, CustomTestStringConvertible {
    case map, inlineMap, queueMap, mainImmediateMap, flatMapToStream, flatMapToFuture, merge, completeWith, take, zip

    var testDescription: String { rawValue }

    private func link(_ stream: FutureStream<Int>, _ queue: DispatchQueue) -> FutureStream<Int> {
        switch self {
        case .map: stream.map(context: ImmediateContext()) { $0 }
        case .inlineMap: stream.map(context: InlineContext()) { $0 }
        case .queueMap: stream.map(context: queue) { $0 }
        case .mainImmediateMap: stream.map(context: QueueContext.mainImmediate) { $0 }
        case .flatMapToStream: stream.flatMap(context: ImmediateContext()) { FutureStream(value: $0) }
        case .flatMapToFuture: stream.flatMap(context: ImmediateContext()) { Future(value: $0) }
        case .merge: stream.merge()
        case .completeWith: FutureStream(dependent: stream)
        case .take: stream.take(.max)
        case .zip: stream.zip(stream).map(context: ImmediateContext()) { $0.0 }
        }
    }

    /// Emits through a chain, ends it, and says what is wrong then.
    func run(_ size: Int, _ conclusion: Conclusion) -> String? {
        let queue = DispatchQueue(label: "chain")
        let size = self == .zip ? size / 4 : size
        let token = CancelToken()
        let promise = Box<StreamPromise<Int>?>(StreamPromise(capacity: 0))
        var last = promise.value!.stream.map(context: ImmediateContext(), cancelToken: token) { $0 }
        for _ in 0..<size { last = link(last, queue) }
        let log = last.heard()
        let isOver = Signal()
        last.onFinish(context: ImmediateContext()) { isOver.open() }
        last.onCancel(context: ImmediateContext()) { isOver.open() }
        let isHere = Signal()
        last.onComplete(context: ImmediateContext()) { _ in isHere.open() }
        promise.value?.success(1)
        guard isHere.pass() else { return "the value has not come" }
        promise.value?.failure(Failure())
        guard isHere.pass() else { return "the error has not come" }
        switch conclusion {
        case .finished: promise.value?.finish()
        case .cancelled: token.cancel()
        case .released: promise.value = nil
        }
        guard isOver.pass() else { return "it has not ended" }
        queue.sync {}
        // The last task may still be on its way out.
        if self == .mainImmediateMap { DispatchQueue.main.sync {} }
        let expected: [Heard<Int>] = [1, .failure(Failure()), conclusion == .cancelled ? .cancel : .finish]
        return log.all == expected ? nil : "it has heard \(log.all)"
    }
}

/// How a chain ends.
enum Conclusion: String, CaseIterable, Sendable { case finished, cancelled, released }

/// Where a callback runs that emits.
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
