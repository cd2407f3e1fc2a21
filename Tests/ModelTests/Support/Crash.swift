import Foundation

/// Prints the running program in a crash, in which there is no report otherwise.
enum Crash {
    // Written before the handler is set, and read by the handler, which may do almost nothing.
    nonisolated(unsafe) private static let text = UnsafeMutablePointer<CChar>.allocate(capacity: 256)
    nonisolated(unsafe) private static let former = UnsafeMutablePointer<sigaction>.allocate(capacity: 64)
    private static let numbers = [SIGSEGV, SIGILL, SIGTRAP, SIGABRT, SIGBUS]

    /// Runs programs, one at a time.
    ///
    /// `note` must be called with the next one.
    static func watching(_ body: (_ note: (String) -> Void) -> Void) {
        text[0] = 0
        for number in numbers {
            sigaction(number, nil, former + Int(number))
            signal(number) { number in
                _ = write(2, Crash.text, strlen(Crash.text))
                // The signal is raised again, for the former handler.
                sigaction(number, Crash.former + Int(number), nil)
                raise(number)
            }
        }
        body { program in _ = "\ncrashed while \(program) ran\n".withCString { strncpy(text, $0, 255) } }
        for number in numbers { sigaction(number, former + Int(number), nil) }
    }
}
