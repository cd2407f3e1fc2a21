import Foundation

/// Says in a crash which program was running, as no report will.
enum Crash {
    // Written by one trial at a time, and read by a signal handler, which may do almost nothing.
    nonisolated(unsafe) private static let text = UnsafeMutablePointer<CChar>.allocate(capacity: 256)
    private static let isReady: Bool = {
        text[0] = 0
        for number in [SIGSEGV, SIGILL, SIGTRAP, SIGABRT, SIGBUS] {
            signal(number) { number in
                _ = write(2, Crash.text, strlen(Crash.text))
                // Comes again, to whoever is there by default.
                signal(number, SIG_DFL)
                raise(number)
            }
        }
        return true
    }()

    /// Notes what is about to run.
    static func note(_ program: String) {
        guard isReady else { return }
        _ = "\ncrashed in \(program)\n".withCString { strncpy(text, $0, 255) }
    }
}
