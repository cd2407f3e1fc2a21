extension Comparison {
    /// All comparisons, in the order in which they are measured.
    ///
    /// Row 15 is the first: it fills new memory, and after other rows it would get what they have freed in any order.
    public static let all: [Comparison] = growth + futures + awaits + streams + manyThreads + cancellations

    private static let futures: [Comparison] = [
        Comparison(1, "one callback, Future", OneCallback.future, "NIO promise", OneCallback.nio, goal: 0.7),
        Comparison(
            1, "one callback, Promise", OneCallback.promise, "NIO promise", OneCallback.nio, goal: 0.7, limit: 0.85
        ),
        Comparison(2, "one map link", MapLink.future, "NIO map", MapLink.nio, goal: 0.8),
        Comparison(3, "sequence of 1,000", Sequencing.future, "NIO whenAllSucceed", Sequencing.nio, goal: 0.3),
        Comparison(
            3, "sequence of 1,000 completed", Sequencing.futureCompleted, "NIO whenAllSucceed", Sequencing.nioCompleted
        ),
    ]

    private static let awaits: [Comparison] = [
        Comparison(4, "await completed", AwaitCompleted.future, "Task.value", AwaitCompleted.task, goal: 0.5),
        Comparison(
            4, "await completed on main", AwaitCompleted.futureOnMain, "Task.value", AwaitCompleted.taskOnMain,
            goal: 0.5
        ),
        Comparison(4, "await completed", AwaitCompleted.future, "NIO get()", AwaitCompleted.nio),
        Comparison(4, "await completed on main", AwaitCompleted.futureOnMain, "NIO get()", AwaitCompleted.nioOnMain),
        Comparison(5, "await pending", AwaitPending.future, "continuation", AwaitPending.continuation, goal: 1.15),
        Comparison(
            5, "await pending, Promise", AwaitPending.promise, "continuation", AwaitPending.continuation, goal: 1.15
        ),
        Comparison(
            18, "await completed, typed", AwaitCompleted.typed, "untyped", AwaitCompleted.future, goal: 1.05, limit: 1.3
        ),
        Comparison(
            18, "await completed, convertible", AwaitCompleted.convertible, "untyped", AwaitCompleted.future, goal: 1.05
        ),
        Comparison(18, "await pending, typed", AwaitPending.typed, "untyped", AwaitPending.future, goal: 1.05),
        Comparison(
            5, "await pending, threads", AwaitPending.futureAcrossThreads, "continuation",
            AwaitPending.continuationAcrossThreads
        ),
        Comparison(
            5, "await pending, threads", AwaitPending.futureAcrossThreads, "NIO get()",
            AwaitPending.nioAcrossThreads, goal: 0.4
        ),
        Comparison(
            10, "Future { async }, then await", AsyncFuture.future, "Task { }.value", AsyncFuture.task, goal: 1.2,
            limit: 2.8
        ),
        Comparison(
            10, "Future { async }, then await", AsyncFuture.future, "Task, continuation", AsyncFuture.continuation,
            goal: 1.15
        ),
        Comparison(
            11, "completion handler, then await", CompletionBlock.future, "continuation", CompletionBlock.continuation,
            goal: 1.2
        ),
        Comparison(
            11, "handler of any shape, then await", CompletionBlock.anyShape, "continuation",
            CompletionBlock.continuation
        ),
        Comparison(
            11, "withCompletionHandler", CompletionBlock.handler, "continuation", CompletionBlock.continuation,
            goal: 1.4
        ),
        Comparison(
            11, "handler and handle, then await", CompletionBlock.handleFuture, "continuation",
            CompletionBlock.handleContinuation
        ),
        Comparison(
            11, "withCompletionHandler and handle", CompletionBlock.handleHandler, "continuation",
            CompletionBlock.handleContinuation, goal: 1.6
        ),
        Comparison(19, "asyncMap, then await", Steps.asyncMap, "Task that awaits it", Steps.task),
        Comparison(19, "callback", Steps.answer, "Task that calls it", Steps.handler),
        Comparison(
            17, "shared work, 10 calls a key", SharedRequests.future, "actor with tasks", SharedRequests.actor, goal: 1,
            limit: 3
        ),
    ]

    private static let streams: [Comparison] = [
        Comparison(
            6, "loop over 100,000 buffered", StreamBuffered.future, "AsyncStream", StreamBuffered.asyncStream,
            goal: 0.02, limit: 0.06
        ),
        Comparison(
            7, "loop, live producer", StreamLive.future, "AsyncStream", StreamLive.asyncStream, goal: 0.5
        ),
        Comparison(
            7, "loop, live producer", StreamLive.future, "AsyncChannel", StreamLive.asyncChannel, goal: 0.2
        ),
        Comparison(
            16, "loop over combineLatest", CombineLatest.future, "AsyncAlgorithms", CombineLatest.asyncAlgorithms,
            goal: 0.5
        ),
        Comparison(
            8, "stream to a callback", StreamCallback.future, "OpenCombine sink", StreamCallback.combine, goal: 0.7
        ),
        Comparison(
            8, "stream to four callbacks", StreamCallback.fourFuture, "OpenCombine, four sinks",
            StreamCallback.fourCombine, goal: 0.7
        ),
        Comparison(
            8, "stream, map, filter, callback", StreamCallback.operatorsFuture, "OpenCombine",
            StreamCallback.operatorsCombine
        ),
        Comparison(
            9, "stream to a serial queue", StreamQueue.future, "DispatchQueue.async", StreamQueue.dispatch, goal: 0.2,
            limit: 0.4
        ),
    ]

    private static let manyThreads: [Comparison] = [
        Comparison(12, "two threads, shared futures", Shared.future, "NSLock", Shared.locked, goal: 1, limit: 2.2),
        Comparison(12, "two threads apart", Shared.apartFuture, "one thread", Shared.aloneFuture, goal: 0.65, limit: 1),
        Comparison(12, "two threads apart, NSLock", Shared.apartLocked, "one thread", Shared.aloneLocked),
    ]

    /// One of many registrations, compared with one of few.
    private static let cancellations: [Comparison] = [
        Comparison(
            13, "cancel 100,000 tokens of a future", CancelOneByOne.tokens(100_000), "10 tokens",
            CancelOneByOne.tokens(10), goal: 1.5
        ),
        Comparison(
            13, "cancel 100,000 futures of a token", CancelOneByOne.futures(100_000), "10 futures",
            CancelOneByOne.futures(10), goal: 1.5
        ),
    ]

    /// One of many links, callbacks or elements, compared with one of few.
    private static let growth: [Comparison] = [
        grown("links", Growth.links),
        grown("callbacks", Growth.callbacks),
        grown("elements", Growth.elements),
        grown("elements kept for replay", Growth.history),
        grown("elements through a full buffer", Growth.window),
    ]

    private static func grown(_ title: String, _ scenario: (Int) -> Scenario) -> Comparison {
        Comparison(15, "1,000,000 \(title)", scenario(Growth.largest), "1,000", scenario(Growth.smallest), goal: 1.5)
    }
}
