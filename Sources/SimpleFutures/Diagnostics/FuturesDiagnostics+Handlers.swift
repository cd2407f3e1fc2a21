#if canImport(Darwin)
public import os
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

extension FuturesDiagnostics {
    /// A handler that writes a line to standard error.
    ///
    ///     FuturesDiagnostics.handler = FuturesDiagnostics.printToStandardError
    public static func printToStandardError(_ diagnostic: FuturesDiagnostic) {
        // At one go, so that lines of several threads do not mix.
        var line = "SimpleFutures: \(diagnostic)\n"
        line.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
    }

    #if canImport(Darwin)
    /// A handler that writes to the system's log, as a fault: something to mend in the program.
    ///
    ///     FuturesDiagnostics.handler = FuturesDiagnostics.log(to: Logger(subsystem: "com.example.App", category: "futures"))
    ///
    /// - Parameter logger: Where to write. The messages name source files and lines, and are public in the log.
    public static func log(to logger: Logger) -> @Sendable (FuturesDiagnostic) -> Void {
        { diagnostic in logger.fault("\(diagnostic.description, privacy: .public)") }
    }
    #endif
}
