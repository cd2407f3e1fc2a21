/// Row 11: a method with a completion block is called and its value awaited; the block is called while the task waits.
///
/// On one thread, so that nothing is measured but the wrapping and the wait.
enum CompletionBlock {
    static let anyShape = Scenario("block.anyshape") { try await AwaitPending.onOneThread(MethodPackCell.self, $0) }
    static let handler = Scenario("block.handler") { try await AwaitPending.onOneThread(MethodHandlerCell.self, $0) }
    static let future = Scenario("block.future") { try await AwaitPending.onOneThread(MethodFutureCell.self, $0) }
    static let continuation = Scenario("block.continuation") {
        try await AwaitPending.onOneThread(MethodContinuationCell.self, $0)
    }
}

/// What people have: a method that keeps a completion block and calls it later.
///
/// `@unchecked Sendable` because both are called by tasks of one thread.
final class LegacyMethod: @unchecked Sendable {
    private var completion: (@Sendable (Int?, (any Error)?) -> Void)?

    @inline(never)
    func load(completion: @escaping @Sendable (Int?, (any Error)?) -> Void) {
        self.completion = completion
    }

    @inline(never)
    func finish(_ value: Int) {
        completion?(value, nil)
        completion = nil
    }
}
