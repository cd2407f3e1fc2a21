import SimpleFuturesInterop

/// Row 11: call a method with a completion handler and await its value; the handler is called while the task waits.
///
/// On one thread, so that only the wrapping and the wait are measured.
enum CompletionBlock {
    static let anyShape = Scenario("block.anyshape") { try await AwaitPending.onOneThread(MethodPackCell.self, $0) }
    static let handler = Scenario("block.handler") { try await AwaitPending.onOneThread(MethodHandlerCell.self, $0) }
    static let future = Scenario("block.future") { try await AwaitPending.onOneThread(MethodFutureCell.self, $0) }
    static let continuation = Scenario("block.continuation") {
        try await AwaitPending.onOneThread(MethodContinuationCell.self, $0)
    }
    static let handleFuture = Scenario("block.handle.future") {
        try await AwaitPending.onOneThread(HandleFutureCell.self, $0)
    }
    static let handleHandler = Scenario("block.handle.handler") {
        try await AwaitPending.onOneThread(HandleHandlerCell.self, $0)
    }
    static let handleContinuation = Scenario("block.handle.continuation") {
        try await AwaitPending.onOneThread(HandleContinuationCell.self, $0)
    }
}

/// A typical legacy API: a method that keeps a completion handler and calls it later.
///
/// `@unchecked Sendable` because both are called by tasks of one thread.
final class LegacyMethod: @unchecked Sendable {
    private var completion: (@Sendable (Int?, (any Error)?) -> Void)?

    @inline(never)
    func load(completion: @escaping @Sendable (Int?, (any Error)?) -> Void) {
        self.completion = completion
    }

    /// The same; the call can be canceled.
    @inline(never)
    func cancellable(completion: @escaping @Sendable (Int?, (any Error)?) -> Void) -> LegacyCall {
        self.completion = completion
        return LegacyCall()
    }

    @inline(never)
    func finish(_ value: Int) {
        completion?(value, nil)
        completion = nil
    }
}

/// The handle of a call that has nothing to cancel.
struct LegacyCall: CancellableHandle {
    func cancel() {}
}
