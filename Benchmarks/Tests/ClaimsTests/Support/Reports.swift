import SimpleFutures

/// The library's reports since the first call of `begin()`.
enum Reports {
    private static let log: Log<FuturesDiagnostic> = {
        let log = Log<FuturesDiagnostic>()
        FuturesDiagnostics.handler = { log.add($0) }
        return log
    }()

    /// Starts to collect the reports.
    ///
    /// Tests run in parallel, so each test searches for its own source locations.
    static func begin() { _ = log }

    static func contain(_ report: FuturesDiagnostic) -> Bool { log.all.contains(report) }
}
