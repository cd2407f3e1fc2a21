extension FuturesDiagnostics {
    private static let tracking = Lock(false)

    /// Whether futures and streams created from now on are recorded for ``pending``.
    ///
    /// False by default, and then it costs nothing. Turn it on at the start of a debug build, or of a test that hangs:
    /// objects created earlier are not recorded. Recording does not keep objects alive.
    public static var isTracking: Bool {
        get { tracking.withLock { $0 } }
        set {
            let old = tracking.exchange(newValue)
            if newValue, !old { Census.begin() }
            if !newValue, old { Census.end() }
        }
    }

    /// Describes the futures and streams that have not ended and everything that waits for them: use it to find out why
    /// an await does not return.
    ///
    ///     FuturesDiagnostics.isTracking = true
    ///     // …
    ///     print(FuturesDiagnostics.pending)
    ///     // Future<Data> "profile", which the promise made at App/Client.swift:42 completes
    ///     //     Future<Image>, derived from it, on the main queue
    ///     //         an await or a wait
    ///
    /// Each waiter is listed below the object that it waits for. So the cause is at the left margin: a promise that is
    /// never completed, a completion handler that is kept and not called, a task that does not end, or a context that
    /// does not run its tasks. In the last case, a future "has ended" and its queue "has not run it yet".
    ///
    /// Only objects created while ``isTracking`` was true are found by themselves; the text is empty if nothing is
    /// pending. It may be read from any thread at any time. While the text is built, all objects in it are kept alive.
    public static var pending: String { Census.report.joined(separator: "\n") }
}
