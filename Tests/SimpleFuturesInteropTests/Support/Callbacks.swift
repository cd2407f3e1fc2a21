import Foundation
import SimpleFutures
import SimpleFuturesInterop
@testable import TestSupport

/// The threads that are inside a call.
final class Inside: Sendable {
    private let threads = Lock<Set<UInt>>([])

    func call<Result>(_ body: () -> Result) -> Result {
        let thread = Self.thread
        threads.withLock { _ = $0.insert(thread) }
        defer { threads.withLock { _ = $0.remove(thread) } }
        return body()
    }

    /// Whether this code runs inside that call.
    var isHere: Bool {
        let thread = Self.thread
        return threads.withLock { $0.contains(thread) }
    }

    private static var thread: UInt { UInt(bitPattern: pthread_self().hashValue) }
}

extension Result {
    var error: (any Error)? { if case .failure(let error) = self { error } else { nil } }
}

/// The shapes of completion handlers that `callback` takes.
enum Shape: String, CaseIterable, Sendable {
    case optionalAndError, errorAlone, result, typedResult, value, nothing, pair, actor

    /// Whether the handler cannot take the error of a closure that did not run.
    var mustRun: Bool { self == .typedResult || self == .value || self == .nothing }

    /// Calls `callback` with a handler of this shape, which reports whether there was an error, if it can.
    func call(
        on context: any ExecutionContext, _ operation: @escaping @Sendable () async throws -> Void,
        _ block: @escaping @Sendable (_ error: (any Error)?) -> Void
    ) -> CancelToken {
        switch self {
        case .optionalAndError:
            callback({ (_: Int?, error: (any Error)?) in block(error) }, context: context) {
                try await operation()
                return 1
            }
        case .errorAlone:
            callback({ (error: (any Error)?) in block(error) }, context: context) { try await operation() }
        case .result:
            callback({ (result: Result<Int, any Error>) in block(result.error) }, context: context) {
                try await operation()
                return 1
            }
        case .typedResult:
            callback({ (result: Result<Int, Failure>) in block(result.error) }, context: context) {
                () async throws(Failure) in
                do { try await operation() } catch { throw Failure() }
                return 1
            }
        case .value:
            callback({ (_: Int) in block(nil) }, context: context) {
                try? await operation()
                return 1
            }
        case .nothing: callback({ () in block(nil) }, context: context) { try? await operation() }
        case .pair:
            callback({ (_: Int?, _: String?, error: (any Error)?) in block(error) }, context: context) {
                try await operation()
                return (1, "")
            }
        case .actor:
            callback(
                { @MainActor (_: Int?, error: (any Error)?) in
                    MainActor.assertIsolated()
                    block(error)
                }, context: context
            ) {
                try await operation()
                return 1
            }
        }
    }
}

/// The shapes of completion handlers of methods that return a handle.
enum MethodShape: String, CaseIterable, Sendable {
    case optionalAndError, valueAndError, errorAlone, value, result, looseValues, pair, twoBlocks

    /// Calls such a method.
    ///
    /// It gets a success and a failure handler.
    func call(
        _ token: CancelToken, onLate: @escaping @Sendable () -> Void,
        _ method:
            @escaping @Sendable (
                _ succeed: @escaping @Sendable () -> Void, _ fail: @escaping @Sendable (any Error) -> Void
            ) throws -> CancelAction
    ) -> Future<Void> {
        switch self {
        case .optionalAndError:
            let made: Future<Int> = future(cancelToken: token, onLate: { _ in onLate() }) {
                (done: @escaping @Sendable (Int?, (any Error)?) -> Void) in
                try method({ done(1, nil) }, { done(nil, $0) })
            }
            return made.asVoid()
        case .valueAndError:
            let made: Future<Int> = future(cancelToken: token, onLate: { _ in onLate() }) {
                (done: @escaping @Sendable (Int, (any Error)?) -> Void) in
                try method({ done(1, nil) }, { done(0, $0) })
            }
            return made.asVoid()
        case .errorAlone:
            return future(cancelToken: token, onLate: onLate) {
                (done: @escaping @Sendable ((any Error)?) -> Void) in
                try method({ done(nil) }, { done($0) })
            }
        case .value:
            let made: Future<Int> = future(cancelToken: token, onLate: { _ in onLate() }) {
                (done: @escaping @Sendable (Int) -> Void) in
                try method({ done(1) }, { _ in })
            }
            return made.asVoid()
        case .result:
            let made: Future<Int> = future(cancelToken: token, onLate: { _ in onLate() }) {
                (done: @escaping @Sendable (Result<Int, any Error>) -> Void) in
                try method({ done(.success(1)) }, { done(.failure($0)) })
            }
            return made.asVoid()
        case .looseValues:
            let made: Future<(Int?, String?)> = future(
                cancelToken: token, onLate: { _ in onLate() }
            ) { (done: @escaping @Sendable (Int?, String?, (any Error)?) -> Void) in
                try method({ done(1, nil, nil) }, { done(nil, nil, $0) })
            }
            return made.asVoid()
        case .pair:
            let made: Future<(Int, String)> = future(
                cancelToken: token, onLate: { _ in onLate() }
            ) { (done: @escaping @Sendable (Int?, String?, (any Error)?) -> Void) in
                try method({ done(1, "", nil) }, { done(nil, nil, $0) })
            }
            return made.asVoid()
        case .twoBlocks:
            let made: Future<Int> = future(cancelToken: token, onLate: { _ in onLate() }) {
                (succeed: @escaping @Sendable (Int) -> Void, fail: @escaping @Sendable (any Error) -> Void) in
                try method({ succeed(1) }, { fail($0) })
            }
            return made.asVoid()
        }
    }
}
