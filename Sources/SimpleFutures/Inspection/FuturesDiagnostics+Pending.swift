extension FuturesDiagnostics {
    private static let tracking = Lock(false)

    /// Whether the futures and streams that are made from now on are remembered, for ``pending``.
    ///
    /// False by default, and then it costs nothing. Turn it on at the start of a debug build, or of a test that hangs:
    /// what was made before is not known. Nobody is kept alive by it.
    public static var isTracking: Bool {
        get { tracking.withLock { $0 } }
        set {
            let old = tracking.exchange(newValue)
            if newValue, !old { Census.begin() }
            if !newValue, old { Census.end() }
        }
    }

    /// Who has not ended, and who waits for whom: for the question why an await does not return.
    ///
    ///     FuturesDiagnostics.isTracking = true
    ///     // …
    ///     print(FuturesDiagnostics.pending)
    ///     // Future<Data> "profile", which the promise made at App/Client.swift:42 completes
    ///     //     Future<Image>, derived from it, on the main queue
    ///     //         an await or a wait
    ///
    /// Whoever waits stands below the one it waits for, so what has gone wrong stands at the left: a promise that
    /// nobody completes, a block that is kept and not called, a task that does not end, or a context that runs nothing.
    /// The last is said of a future that "has ended": a queue "has not run it yet".
    ///
    /// Only what was made while ``isTracking`` was true is found by itself; the text is empty if nothing is pending. It
    /// may be asked from any thread at any time; while it is made, everything in it is kept alive.
    public static var pending: String { Census.report.joined(separator: "\n") }
}
