public import SimpleFutures

// Many futures with typed errors.

extension Sequence {
    /// Returns a future of all values, in the order of the futures.
    ///
    /// It fails with the first failure. Without futures its value is an empty array.
    public func sequence<T: Sendable, Failure: Error>() -> TypedFuture<[T], Failure>
    where Element == TypedFuture<T, Failure> {
        TypedFuture<[T], Failure>(map(\.future).sequence(context: ImmediateContext()))
    }

    /// Returns a future of the values combined by a closure, in the order of the futures.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - initial: The first value to combine with. It is the result if there are no futures.
    ///   - combine: Runs once for each value. If it throws, the new future fails.
    public func fold<T: Sendable, Failure: Error, R: Sendable>(
        context: any ExecutionContext = QueueContext.futuresDefault, initial: R,
        combine: @escaping @Sendable (R, T) throws -> R
    ) -> TypedFuture<R, Failure> where Element == TypedFuture<T, Failure> {
        TypedFuture<R, Failure>(map(\.future).fold(context: context, initial: initial, combine: combine))
    }

    /// Returns a future with the result of the first future that completes.
    public func firstCompleted<T: Sendable, Failure: Error>() -> TypedFuture<T, Failure>
    where Element == TypedFuture<T, Failure> {
        TypedFuture<T, Failure>(map(\.future).firstCompleted())
    }

    /// Returns a future of the values of the futures that a closure returns for the elements, in the same order.
    ///
    /// - Parameter mapping: Called with each element in order, before this returns. If it throws, the new future fails,
    ///   and it is not called again.
    public func traverse<T: Sendable, Failure: Error>(
        mapping: (Element) throws -> TypedFuture<T, Failure>
    ) -> TypedFuture<[T], Failure> {
        TypedFuture<[T], Failure>(
            traverse(context: ImmediateContext()) { (element: Element) -> Future<T> in try mapping(element).future })
    }

    /// Returns a future of the values of the futures that a closure returns for the elements, with a limited number of
    /// them pending at a time.
    ///
    /// - Parameters:
    ///   - maxConcurrent: The largest number of futures pending at a time. It must be positive.
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, cancels the new future, and the closure is not called any more.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    ///   - mapping: Called with the elements in order. If it throws, the new future fails.
    public func traverse<T: Sendable, Failure: Error>(
        maxConcurrent: Int, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line,
        mapping: @escaping @Sendable (Element) throws -> TypedFuture<T, Failure>
    ) -> TypedFuture<[T], Failure> where Element: Sendable {
        TypedFuture<[T], Failure>(
            traverse(
                maxConcurrent: maxConcurrent, context: context, cancelToken: cancelToken, fileID: fileID, line: line
            ) { (element: Element) -> Future<T> in try mapping(element).future })
    }
}
