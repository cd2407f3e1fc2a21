#if canImport(Darwin)
public import os
#endif

extension FuturesDiagnostics {
    /// A handler that writes a line to standard error for every report.
    ///
    /// It never blocks: output that a closed or full descriptor does not accept is dropped.
    ///
    ///     FuturesDiagnostics.handler = FuturesDiagnostics.printToStandardError
    @Sendable
    public static func printToStandardError(_ diagnostic: FuturesDiagnostic) {
        StandardError.write("SimpleFutures: \(diagnostic)")
    }

    #if canImport(Darwin)
    /// A handler that writes to the system's log at the fault level.
    ///
    ///     FuturesDiagnostics.handler = FuturesDiagnostics.log(to: Logger(subsystem: "com.example.App", category: "futures"))
    ///
    /// - Parameter logger: Where to write. The messages name source files and lines, and are public in the log.
    public static func log(to logger: Logger) -> @Sendable (FuturesDiagnostic) -> Void {
        { diagnostic in logger.fault("\(diagnostic.description, privacy: .public)") }
    }
    #endif
}
