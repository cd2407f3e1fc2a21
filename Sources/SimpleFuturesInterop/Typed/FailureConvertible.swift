public import SimpleFutures

/// An error type that can hold errors of other types.
///
///     enum APIError: FailureConvertible {
///         case notFound
///         case server(status: Int)
///         case cancelled
///         case other(any Error)
///
///         init(other error: any Error) { self = error is CancellationError ? .cancelled : .other(error) }
///     }
///
/// An await can then throw this type alone: `try await future.value(throwing: APIError.self)`. For an error type without
/// such a case use ``Stopped``.
public protocol FailureConvertible: Error {
    /// Creates an error of this type from an error of another type.
    ///
    /// - Parameter error: `CancellationError`, a `FuturesError` such as a broken promise or a timeout, or another error that
    ///   a closure threw. It is never of this type. If a closure threw on a ``Stopped``, it is the error inside it.
    init(other error: any Error)
}

extension FailureConvertible {
    /// The same error if it is of this type.
    @usableFromInline
    static func converted(_ error: any Error) -> Self {
        if let error = error as? Self { return error }
        let reason = Stopped<Self>(other: error)
        if case .failed(let failure) = reason { return failure }
        return Self(other: reason.underlying)
    }
}

/// The reason why a future with typed errors has no value.
///
/// The future's own errors are `failed`. The other cases can happen to any await. A `switch` over it needs no default:
///
///     do {
///         show(try await login("ada").value)      // a TypedFuture<User, LoginError>
///     } catch {
///         switch error {
///         case .failed(let loginError): show(loginError)
///         case .cancelled: break
///         case .timedOut, .broken, .other: show("Try again.")
///         }
///     }
///
/// In a closure, such as that of a `Task`, the compiler infers no type for `error`: write
/// `do throws(Stopped<LoginError>)` there.
///
/// If a closure of the library throws it on, as in `Future { try await login("ada").value }`, the new future, or the
/// completion handler, gets the error inside it: a `LoginError`, a `CancellationError`, or a `FuturesError`.
///
/// In a function that can throw any error, await the untyped future: `try await login("ada").future.value` throws the
/// `LoginError` itself. A `Stopped` doesn't match `catch LoginError.locked`, nor `as? LoginError`.
public enum Stopped<Failure: Error>: FailureConvertible {
    /// The work failed with an error of its type.
    case failed(Failure)
    /// The task or the future was canceled.
    case cancelled
    /// A timeout expired. The error has its duration, and the place of the call.
    case timedOut(FuturesError)
    /// The library's own error: a promise that was released, with the place where it was created; no element; a buffer
    /// overflow.
    case broken(FuturesError)
    /// An error of another type, from a closure or from an untyped future.
    case other(any Error)

    /// Creates the case for an error.
    public init(other error: any Error) {
        // Every error is an `any Error`, and on Apple's systems an `NSError`. A cancellation, a timeout or a broken
        // promise is a failure only if it has exactly the type.
        switch error {
        case let error as Self: self = error
        // From an await of a future with another error type.
        case let stopped as any StoppedAwait where type(of: error) != Failure.self: self.init(other: stopped.underlying)
        case is CancellationError where Failure.self != CancellationError.self: self = .cancelled
        case let error as FuturesError where Failure.self != FuturesError.self:
            if case .timedOut = error { self = .timedOut(error) } else { self = .broken(error) }
        default: self = (error as? Failure).map { .failed($0) } ?? .other(error)
        }
    }

    /// The original error.
    public var underlying: any Error {
        switch self {
        case .failed(let error): error
        case .cancelled: CancellationError()
        case .timedOut(let error), .broken(let error): error
        case .other(let error): error
        }
    }
}

extension Stopped: CustomStringConvertible {
    /// The description of the error itself.
    public var description: String { "\(underlying)" }
}

/// A ``Stopped`` of any type.
private protocol StoppedAwait: Error {
    var underlying: any Error { get }
}

extension Stopped: StoppedAwait {}

/// The error that a closure has thrown: if that is a ``Stopped``, the one inside it.
@usableFromInline
func original(_ error: any Error) -> any Error {
    guard let stopped = error as? any StoppedAwait else { return error }
    return original(stopped.underlying)
}

/// The error as a closure for an error type receives it; nil if it is of another type and cannot be converted.
func failure<Failure: Error>(_ error: any Error, as _: Failure.Type) -> Failure? {
    if let convertible = Failure.self as? any FailureConvertible.Type {
        return convertible.converted(error) as? Failure
    }
    // As in an await, because an await may have thrown it: a `Stopped` that contains a failure of the type.
    if case .failed(let failure) = Stopped<Failure>(other: error) { return failure }
    return nil
}
