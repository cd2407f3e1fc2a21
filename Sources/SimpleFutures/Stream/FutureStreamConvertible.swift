/// A future or stream that can be flattened into a stream: a ``Future``, which is one element, or a ``FutureStream``.
///
/// ``FutureStream/flatMap(context:cancelToken:mapping:)`` and
/// ``FutureStream/recoverWith(context:cancelToken:recovery:)`` take closures that return either, or nil for no element,
/// as in `flatMap { [weak self] in self?.load($0) }`. No other types conform.
public protocol FutureStreamConvertible<T>: Sendable {
    /// The type of the values.
    associatedtype T: Sendable

    /// Adds this object's elements to a stream. Called by the library only.
    func _lead(to target: _StreamTarget<T>)
}

/// The stream of values of type `T` to add elements to.
///
/// Not for use outside the library.
@_documentation(visibility: internal)
public struct _StreamTarget<T: Sendable>: Sendable {
    let core: StreamCore
    let token: CancelToken
}

extension Future: FutureStreamConvertible {
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    public func _lead(to target: _StreamTarget<T>) {
        if target.core.gainProducer() { lead(to: target.core, under: target.token) }
    }
}

extension FutureStream: FutureStreamConvertible {
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    public func _lead(to target: _StreamTarget<T>) {
        guard core !== target.core else { return target.core.completeWithItself() }
        if target.core.gainProducer() { lead(to: target.core, under: target.token, joins: true) }
    }
}

/// Nil is like a stream without elements.
extension Optional: FutureStreamConvertible where Wrapped: FutureStreamConvertible {
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    public func _lead(to target: _StreamTarget<Wrapped.T>) { self?._lead(to: target) }
}

extension StreamCore {
    /// Adds a future or a stream as one more source.
    ///
    /// If the closure throws, the error is an element.
    @usableFromInline
    func join(under token: CancelToken, _ make: () throws -> some FutureStreamConvertible) {
        do { try make()._lead(to: _StreamTarget(core: self, token: token)) } catch { emit(error: error) }
    }
}
