public import SimpleFutures

// Common mistakes in calls with isolated closures, so that the compiler can explain the right spelling.

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
