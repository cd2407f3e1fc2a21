public import SimpleFutures

// What is written first where a closure of the caller's actor is wanted, so that the compiler says how.

extension Futurable {
    /// The closure is what is isolated.
    @available(*, unavailable, message: "the closure is what is isolated: `onSuccess(isolated: { … })`")
    public func onSuccess(isolated actor: any Actor, _ body: @escaping (T) -> Void) { fatalError() }

    /// The closure is what is isolated.
    @available(*, unavailable, message: "the closure is what is isolated: `onFailure(isolated: { … })`")
    public func onFailure(isolated actor: any Actor, _ body: @escaping (any Error) -> Void) { fatalError() }
}

extension FutureStream {
    /// The closure is what is isolated.
    @available(*, unavailable, message: "the closure is what is isolated: `onSuccess(isolated: { … })`")
    public func onSuccess(isolated actor: any Actor, _ body: @escaping (T) -> Void) { fatalError() }
}
