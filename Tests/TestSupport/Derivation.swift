import SimpleFutures
import Testing

/// Everything that makes one stream of another, arranged so that values pass as they are.
enum Derivation: String, CaseIterable, Codable, Sendable, CustomTestStringConvertible {
    case map, compactMap, filter, withFilter, andThen, scan, distinct, distinctBy
    case recover, recoverWithFuture, recoverWithStream, mapError
    case flatMapToFuture, flatMapToStream
    case take, drop, merge, zip, debounce, throttle

    var testDescription: String { rawValue }

    /// What a failure becomes that has been recovered from.
    static let recovered = 99

    /// Applies it; time passes on `clock`.
    func apply(
        to stream: FutureStream<Int>, on context: any ExecutionContext = immediate, clock: ManualContext,
        under token: CancelToken = .none, capturing probe: Probe = Probe()
    ) -> FutureStream<Int> {
        switch self {
        case .map:
            return stream.map(context: context, cancelToken: token) { value in
                probe.use()
                return value
            }
        case .compactMap:
            return stream.compactMap(context: context, cancelToken: token) { value -> Int? in
                probe.use()
                return value
            }
        case .filter:
            return stream.filter(context: context, cancelToken: token) { _ in
                probe.use()
                return true
            }
        case .withFilter:
            return stream.withFilter(context: context, cancelToken: token) { _ in
                probe.use()
                return true
            }
        case .andThen: return stream.andThen(context: context, cancelToken: token) { _ in probe.use() }
        case .scan:
            return stream.scan(0, context: context, cancelToken: token) { _, value in
                probe.use()
                return value
            }
        case .distinct: return stream.distinct(context: context, cancelToken: token)
        case .distinctBy:
            return stream.distinct(context: context, cancelToken: token) { left, right in
                probe.use()
                return left == right
            }
        case .recover:
            return stream.recover(context: context, cancelToken: token) { _ in
                probe.use()
                return Self.recovered
            }
        case .recoverWithFuture:
            return stream.recoverWith(context: context, cancelToken: token) { _ in
                probe.use()
                return Future(value: Self.recovered)
            }
        case .recoverWithStream:
            return stream.recoverWith(context: context, cancelToken: token) { _ in
                probe.use()
                return FutureStream(value: Self.recovered)
            }
        case .mapError:
            return stream.mapError(context: context, cancelToken: token) { error in
                probe.use()
                return error
            }
        case .flatMapToFuture:
            return stream.flatMap(context: context, cancelToken: token) { value in
                probe.use()
                return Future(value: value)
            }
        case .flatMapToStream:
            return stream.flatMap(context: context, cancelToken: token) { value in
                probe.use()
                return FutureStream(value: value)
            }
        case .take: return stream.take(.max, cancelToken: token)
        case .drop: return stream.drop(0, cancelToken: token)
        case .merge: return stream.merge(FutureStream(), cancelToken: token)
        case .zip: return stream.zip(stream, cancelToken: token).map(context: immediate) { $0.0 }
        case .debounce: return stream.debounce(.seconds(1), context: clock, cancelToken: token)
        case .throttle: return stream.throttle(.seconds(1), context: clock, cancelToken: token)
        }
    }

    /// Whether it takes a closure, which runs on a context.
    var takesClosure: Bool {
        switch self {
        case .take, .drop, .merge, .zip, .debounce, .throttle, .distinct: false
        default: true
        }
    }

    var handlesFailures: Bool {
        switch self {
        case .recover, .recoverWithFuture, .recoverWithStream: true
        default: false
        }
    }

    /// What a failure becomes.
    func passedOn(_ error: Oops) -> Heard<Int> { handlesFailures ? .value(Self.recovered) : .failure(error) }
}

/// A stream that a test emits into and ends in any way there is.
final class Emitter {
    enum Ending: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case finish, cancellation, promiseReleased

        var testDescription: String { rawValue }

        /// What subscribers hear.
        func passedOn<Value>() -> Heard<Value> { self == .cancellation ? .cancel : .finish }
    }

    let stream: FutureStream<Int>
    private var promise: StreamPromise<Int>?
    private let token = CancelToken()

    init(capacity: Int = .max) {
        let promise = StreamPromise<Int>(capacity: capacity)
        stream = promise.stream.map(context: immediate, cancelToken: token) { $0 }
        self.promise = promise
    }

    func emit(_ values: Int...) { for value in values { promise?.success(value) } }

    func fail(_ error: any Error = Oops.source) { promise?.failure(error) }

    func end(_ ending: Ending) {
        switch ending {
        case .finish: promise?.finish()
        case .cancellation: token.cancel()
        case .promiseReleased: promise = nil
        }
    }
}
