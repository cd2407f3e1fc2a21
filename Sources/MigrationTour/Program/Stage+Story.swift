/// The text of the overview about the stages. `.ci/tour` looks up each name in parentheses in the stages' files.
extension Stage {
    var fileName: String {
        switch self {
        case .callbacks: "Stage1Callbacks.swift"
        case .futures: "Stage2Futures.swift"
        case .awaited: "Stage3Await.swift"
        case .structured: "Stage4Structured.swift"
        }
    }

    /// A label and the names: written by hand in stage 1, or gone in a later stage.
    var change: (label: String, names: String) {
        switch self {
        case .callbacks:
            ("by hand", "locks (NSLock), counters (callsLeft, filesInFlight, nextIndex), flag (isCancelled)")
        case .futures:
            ("gone", "all of these, the timer (DispatchSource) and @unchecked classes (RowsCall, RowCall)")
        case .awaited: ("gone", "closures that handle values and errors (map, recover, reduce, materialize)")
        case .structured: ("gone", "tokens (CancelToken), combinators (traverse, zip), futures (Future, FutureStream)")
        }
    }

    /// The effect of a file that takes longer than `--timeout`.
    var timeout: String {
        switch self {
        case .callbacks: "a timer for each file cancels the file's two requests"
        case .futures: "timeout(_:) fails the future; recover cancels the token of both calls"
        case .awaited: "timeout(_:) makes the await throw; catch cancels the token of both calls"
        case .structured: "a child task that sleeps throws; the group cancels the other children"
        }
    }

    /// The effect of Ctrl-C.
    var interrupt: String {
        switch self {
        case .callbacks: "cancel() is passed on by hand, from all files to each file to its two requests"
        case .futures: "one token is canceled; each file's child token follows"
        case .awaited: "the task is canceled; value(cancelling:) cancels the token"
        case .structured: "the task is canceled, and all its children with it"
        }
    }
}
