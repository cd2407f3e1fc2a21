import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

/// A chain in which each link is captured by a callback of the next one.
enum Strand: String, CaseIterable, Codable, Sendable, CustomTestStringConvertible {
    case promises = "promises, each broken as the callback of another is released"
    case futures = "futures, each released with the callback of another"
    case cancelledTokens = "tokens, each cancelled by the handler of another"
    case releasedTokens = "tokens, each released with the handler of another"
    case registrations = "handlers, each taken away as another is released"
    case detachedCallbacks = "callbacks, each detached as another is released"
    case streams = "streams, each finished as the callback of another is released"
    case contexts = "streams, each finished as the context of another is released"
    case manualContexts = "manual contexts, each released with a task or a timer of another"
    case evictedElements = "elements, each released as the release of another emits"
    case keptElements = "elements and subscribers of one stream"
    case timeouts = "timeouts of timeouts, released with the last"
    case laggingElements = "elements that a subscriber lags behind"

    var testDescription: String { rawValue }

    var size: Int {
        switch self {
        case .streams, .contexts, .manualContexts, .evictedElements, .timeouts: 100_000
        default: 1_000_000
        }
    }

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
        case .timeouts:
            let (source, clock) = (Future<Int>(), ManualContext())
            var last = source
            for _ in 0..<count { last = last.timeout(.seconds(1), context: clock) }
            last = Future()
            ends.value = source.observerCount == 0 ? count - clock.timerCount : 0
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
        case .streams:
            var first: StreamPromise<Int>? = StreamPromise()
            for _ in 0..<count {
                let next = StreamPromise<Int>()
                next.stream.onSuccess(context: ImmediateContext()) { [first] _ in withExtendedLifetime(first) {} }
                next.stream.onFinish(context: ImmediateContext()) { ends.increment() }
                first = next
            }
            first = nil
        case .contexts:
            var first: StreamPromise<Int>? = StreamPromise()
            for _ in 0..<count {
                let next = StreamPromise<Int>()
                next.stream.onSuccess(context: Dropping(first)) { _ in }
                next.stream.onFinish(context: ImmediateContext()) { ends.increment() }
                first = next
            }
            first = nil
        case .manualContexts:
            var first: ManualContext? = ManualContext()
            for number in 0..<count {
                let (next, end) = (ManualContext(), AtDeinit { ends.increment() })
                let task: @Sendable () -> Void = { [first] in withExtendedLifetime((first, end)) {} }
                if number % 2 == 0 { next.execute(task) } else { next.execute(after: .seconds(1), task) }
                first = next
            }
            first = nil
        case .evictedElements:
            // Shared, so that only the elements of the streams are released during the test.
            let nothing = AtDeinit {}
            var next: FutureStream<AtDeinit>?
            for _ in 0..<count {
                let stream = FutureStream<AtDeinit>(capacity: 1)
                stream.success(
                    AtDeinit { [next] in
                        ends.increment()
                        next?.success(nothing)
                    })
                next = stream
            }
            next?.success(nothing)
        case .keptElements:
            var stream: FutureStream<AtDeinit>? = FutureStream()
            for _ in 0..<count / 2 {
                stream?.onFinish(context: ImmediateContext()) { ends.increment() }
                stream?.onCancel(context: ImmediateContext()) {}
            }
            for _ in 0..<count / 2 { stream?.success(AtDeinit { ends.increment() }) }
            stream = nil
        case .laggingElements:
            let (token, context) = (CancelToken(), ManualContext())
            let stream = FutureStream<AtDeinit>(capacity: 0)
            stream.onSuccess(context: context, cancelToken: token) { $0.use() }
            for _ in 0..<count { stream.success(AtDeinit { ends.increment() }) }
            precondition(ends.value == 0)
            token.cancel()
            precondition(ends.value == count)
            context.run()
        }
        return ends.value
    }
}

/// A context that drops its tasks.
private final class Dropping: ExecutionContext {
    private let promise: StreamPromise<Int>?

    init(_ promise: StreamPromise<Int>?) { self.promise = promise }

    func execute(_ task: @escaping @Sendable () -> Void) {}
}
