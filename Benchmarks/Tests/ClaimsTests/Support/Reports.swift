import SimpleFutures

/// What the library has reported since the first test asked.
enum Reports {
    private static let log: Log<FuturesDiagnostic> = {
        let log = Log<FuturesDiagnostic>()
        FuturesDiagnostics.handler = { log.add($0) }
        return log
    }()

    /// Begins to listen.
    ///
    /// Tests run side by side, so each looks for the places it knows.
    static func begin() { _ = log }

    static func contain(_ report: FuturesDiagnostic) -> Bool { log.all.contains(report) }
}
