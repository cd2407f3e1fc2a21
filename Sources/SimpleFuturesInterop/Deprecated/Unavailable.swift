public import SimpleFutures

// Common mistakes, so that the compiler can explain the right spelling.

extension Future {
    /// The closure returns the value, not a future of it.
    @available(
        *, unavailable, message: "the closure returns a future: write `Future { try await future.value }`"
    )
    @_disfavoredOverload
    public convenience init(
        cancelToken: CancelToken = .none, name: String? = nil, priority: TaskPriority? = nil,
        operation: () async throws -> Future<T>
    ) { fatalError() }
}

extension Futurable {
    /// The closure is isolated, not the call.
    @available(*, unavailable, message: "`isolated:` takes the closure: `onSuccess(isolated: { … })`")
    public func onSuccess(isolated actor: any Actor, _ body: @escaping (T) -> Void) { fatalError() }

    /// The closure is isolated, not the call.
    @available(*, unavailable, message: "`isolated:` takes the closure: `onFailure(isolated: { … })`")
    public func onFailure(isolated actor: any Actor, _ body: @escaping (any Error) -> Void) { fatalError() }
}

extension FutureStream {
    /// The closure is isolated, not the call.
    @available(*, unavailable, message: "`isolated:` takes the closure: `onSuccess(isolated: { … })`")
    public func onSuccess(isolated actor: any Actor, _ body: @escaping (T) -> Void) { fatalError() }
}
