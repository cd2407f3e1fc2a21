/// Ours beside a peer's, and how much of the peer's time ours may take.
public struct Comparison: Sendable {
    /// What is compared, in words.
    public let title: String
    /// This package's way.
    public let ours: Scenario
    /// The peer's way.
    public let peer: Scenario

    /// The largest ratio of ours to the peer's that meets the goal; `nil` where the peer is there for information.
    public let goal: Double?

    init(_ title: String, _ ours: Scenario, _ peer: Scenario, goal: Double? = nil) {
        self.title = title
        self.ours = ours
        self.peer = peer
        self.goal = goal
    }
}

extension Comparison {
    /// All of them, row by row.
    public static let all: [Comparison] = [
        Comparison("one callback, Future : NIO", OneCallback.future, OneCallback.nio, goal: 0.7),
        // The goal is 0.7; 0.8 is held until the second object is paid for.
        Comparison("one callback, Promise : NIO", OneCallback.promise, OneCallback.nio, goal: 0.8),
        Comparison("one map link : NIO", MapLink.future, MapLink.nio, goal: 0.8),
        Comparison("await completed : Task", AwaitCompleted.future, AwaitCompleted.task, goal: 0.5),
        Comparison("await completed on main : Task", AwaitCompleted.futureOnMain, AwaitCompleted.taskOnMain, goal: 0.5),
        Comparison("await completed : NIO get()", AwaitCompleted.future, AwaitCompleted.nio),
        Comparison("await completed on main : NIO get()", AwaitCompleted.futureOnMain, AwaitCompleted.nioOnMain),
        Comparison("await pending : continuation", AwaitPending.future, AwaitPending.continuation, goal: 1.15),
        Comparison("await pending, Promise : continuation", AwaitPending.promise, AwaitPending.continuation),
        Comparison(
            "await pending, threads : continuation",
            AwaitPending.futureAcrossThreads,
            AwaitPending.continuationAcrossThreads
        ),
        Comparison(
            "await pending, threads : NIO get()",
            AwaitPending.futureAcrossThreads,
            AwaitPending.nioAcrossThreads
        ),
    ]
}
