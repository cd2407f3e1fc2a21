import Foundation

/// Says in a crash which program was running, as then there is no report.
enum Crash {
    // Written before the handlers are set, and read by them, who may do almost nothing.
    nonisolated(unsafe) private static let text = UnsafeMutablePointer<CChar>.allocate(capacity: 256)
    private static let numbers = [SIGSEGV, SIGILL, SIGTRAP, SIGABRT, SIGBUS]

    /// Runs programs, one at a time; `note` is to be told which is next.
    static func watching(_ body: (_ note: (String) -> Void) -> Void) {
        text[0] = 0
        let handlers = numbers.map { number in
            signal(number) { number in
                _ = write(2, Crash.text, strlen(Crash.text))
                // It comes again, to whoever is there by default.
                signal(number, SIG_DFL)
                raise(number)
            }
        }
        body { program in _ = "\ncrashed while \(program) ran\n".withCString { strncpy(text, $0, 255) } }
        for (number, handler) in zip(numbers, handlers) { signal(number, handler) }
    }
}
