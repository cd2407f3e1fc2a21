import SimpleFutures
import SimpleFuturesInterop
@testable import TestSupport

/// The threads that are inside a call.
final class Inside: Sendable {
    private let threads = Lock<Set<UInt>>([])

    func call<Result>(_ body: () -> Result) -> Result {
        let thread = threadNumber()
        threads.withLock { _ = $0.insert(thread) }
        defer { threads.withLock { _ = $0.remove(thread) } }
        return body()
    }

    /// Whether this code runs inside that call.
    var isHere: Bool {
        let thread = threadNumber()
        return threads.withLock { $0.contains(thread) }
    }
}

/// The shapes of completion handlers that `callback` takes.
enum Shape: String, CaseIterable, Sendable {
    case optionalAndError, errorAlone, result, typedResult, value, nothing, pair, actor

    /// Whether the handler cannot take the error of a closure that did not run.
    var mustRun: Bool { self == .typedResult || self == .value || self == .nothing }

    /// Calls `callback` with a handler of this shape, which passes the result of the operation on.
    func call(
        on context: any ExecutionContext, _ operation: @escaping @Sendable () async throws -> Int,
        _ block: @escaping @Sendable (Try<Int>) -> Void
    ) -> CancelToken {
        let pass = { @Sendable (value: Int?, error: (any Error)?) in
            block(value.map { .success($0) } ?? .failure(error!))
        }
        // For handlers that cannot take all of the result.
        let result = Box<Try<Int>?>(nil)
        let note = { @Sendable () async in
            do { result.value = .success(try await operation()) } catch { result.value = .failure(error) }
        }
        return switch self {
        case .optionalAndError: callback(pass, context: context) { try await operation() }
        case .errorAlone:
            callback(
                { (error: (any Error)?) in block(error.map { .failure($0) } ?? result.value!) }, context: context
            ) { result.value = .success(try await operation()) }
        case .result:
            callback({ (result: Result<Int, any Error>) in block(Try(result)) }, context: context) {
                try await operation()
            }
        case .typedResult:
            callback({ (result: Result<Int, Failure>) in block(Try(result)) }, context: context) {
                () async throws(Failure) in
                do { return try await operation() } catch { throw error as? Failure ?? Failure() }
            }
        case .value:
            callback({ (result: Try<Int>) in block(result) }, context: context) {
                await note()
                return result.value!
            }
        case .nothing: callback({ () in block(result.value!) }, context: context) { await note() }
        case .pair:
            callback({ (value: Int?, _: String?, error: (any Error)?) in pass(value, error) }, context: context) {
                (try await operation(), "")
            }
        case .actor:
            callback(
                { @MainActor (value: Int?, error: (any Error)?) in
                    MainActor.assertIsolated()
                    pass(value, error)
                }, context: context
            ) { try await operation() }
        }
    }
}

/// The shapes of completion handlers of methods that return a handle.
enum MethodShape: String, CaseIterable, Sendable {
    case optionalAndError, valueAndError, errorAlone, nothing, value, result, looseValues, pair, twoBlocks
    case valuesAndError, errorFirst, errorFirstAndValue

    /// A method with a success and a failure handler.
    typealias Method =
        @Sendable (
            _ succeed: @escaping @Sendable () -> Void, _ fail: @escaping @Sendable (any Error) -> Void
        ) throws -> CancelAction

    /// Calls such a method, whose value is 1.
    func call(
        _ token: CancelToken, onLate: @escaping @Sendable () -> Void, _ method: @escaping Method
    ) -> Future<Int> {
        let late = { @Sendable (_: Int) in onLate() }
        switch self {
        case .optionalAndError:
            return future(cancelToken: token, onLate: late) {
                (done: @escaping @Sendable (Int?, (any Error)?) -> Void) in
                try method({ done(1, nil) }, { done(nil, $0) })
            }
        case .valueAndError:
            return future(cancelToken: token, onLate: late) {
                (done: @escaping @Sendable (Int, (any Error)?) -> Void) in
                try method({ done(1, nil) }, { done(0, $0) })
            }
        case .errorAlone:
            return future(cancelToken: token, onLate: onLate) { (done: @escaping @Sendable ((any Error)?) -> Void) in
                try method({ done(nil) }, { done($0) })
            }.map(context: immediate) { 1 }
        case .nothing:
            return future(cancelToken: token, onLate: onLate) { (done: @escaping @Sendable () -> Void) in
                try method({ done() }, { _ in })
            }.map(context: immediate) { 1 }
        case .value:
            return future(cancelToken: token, onLate: late) { (done: @escaping @Sendable (Int) -> Void) in
                try method({ done(1) }, { _ in })
            }
        case .result:
            return future(cancelToken: token, onLate: late) {
                (done: @escaping @Sendable (Result<Int, any Error>) -> Void) in
                try method({ done(.success(1)) }, { done(.failure($0)) })
            }
        case .looseValues:
            let values: Future<(Int?, String?)> = future(cancelToken: token, onLate: { _ in onLate() }) {
                (done: @escaping @Sendable (Int?, String?, (any Error)?) -> Void) in
                try method({ done(1, nil, nil) }, { done(nil, nil, $0) })
            }
            return values.map(context: immediate) { $0.0 ?? 0 }
        case .pair:
            let pair: Future<(Int, String)> = future(cancelToken: token, onLate: { _ in onLate() }) {
                (done: @escaping @Sendable (Int?, String?, (any Error)?) -> Void) in
                try method({ done(1, "", nil) }, { done(nil, nil, $0) })
            }
            return pair.map(context: immediate) { $0.0 }
        case .twoBlocks:
            return future(cancelToken: token, onLate: late) {
                (succeed: @escaping @Sendable (Int) -> Void, fail: @escaping @Sendable (any Error) -> Void) in
                try method({ succeed(1) }, { fail($0) })
            }
        case .valuesAndError:
            let pair: Future<(Int, String)> = future(cancelToken: token, onLate: { _ in onLate() }) {
                (done: @escaping @Sendable (Int, String, (any Error)?) -> Void) in
                try method({ done(1, "", nil) }, { done(0, "", $0) })
            }
            return pair.map(context: immediate) { $0.0 }
        case .errorFirst:
            return future(cancelToken: token, onLate: late) {
                (done: @escaping @Sendable ((any Error)?, Int?) -> Void) in
                try method({ done(nil, 1) }, { done($0, nil) })
            }
        case .errorFirstAndValue:
            return future(cancelToken: token, onLate: late) {
                (done: @escaping @Sendable ((any Error)?, Int) -> Void) in
                try method({ done(nil, 1) }, { done($0, 0) })
            }
        }
    }
}
