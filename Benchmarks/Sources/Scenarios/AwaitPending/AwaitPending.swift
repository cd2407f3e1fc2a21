/// Row 4: a task awaits a pending cell, which another task then completes.
///
/// Once with both tasks on one thread, where only the wait itself differs. Once across threads, as in practice, where
/// the scheduler is most of the cost and the value can arrive before the wait.
enum AwaitPending {
    static let future = Scenario("pending.future") { try await onOneThread(FutureCell.self, $0) }
    static let promise = Scenario("pending.promise") { try await onOneThread(PromiseCell.self, $0) }
    static let typed = Scenario("pending.typed") { try await onOneThread(TypedCell.self, $0) }
    static let continuation = Scenario("pending.continuation") { try await onOneThread(ContinuationCell.self, $0) }

    static let futureAcrossThreads = Scenario("pending.threads.future") {
        try await acrossThreads(FutureCell.self, $0)
    }
    static let continuationAcrossThreads = Scenario("pending.threads.continuation") {
        try await acrossThreads(ContinuationCell.self, $0)
    }
    static let nioAcrossThreads = Scenario("pending.threads.nio") {
        try await acrossThreads(NIOCell.self, $0)
    }
}
