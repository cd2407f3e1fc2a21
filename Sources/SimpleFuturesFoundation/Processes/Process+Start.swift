#if os(macOS) || os(Linux)
import Foundation

extension Process {
    /// The reason why the process cannot be started; nil if there is none.
    ///
    /// Checked first, because on Linux a process that cannot start its program leaves descriptors open, and starting a
    /// process twice ends the program.
    var whyNotStartable: String? {
        if wasStarted { return "it was started before; create a new Process for each run" }
        if Self.ignoresEndOfChildren {
            return """
                this program ignores SIGCHLD, or handles it with SA_NOCLDWAIT, so the system forgets how children end; \
                call `signal(SIGCHLD, SIG_DFL)`
                """
        }
        guard let executableURL else { return "it has no `executableURL`; set it to the path of a program" }
        guard executableURL.isFileURL else {
            return "its `executableURL` is not a file URL; create it with `URL(fileURLWithPath:)`"
        }
        if let error = Self.whyUnusable(executableURL.path, isDirectory: false) {
            let isBareName = !executableURL.relativePath.contains("/")
            let advice = isBareName && error.code == .ENOENT ? "; PATH is not searched, so pass the full path" : ""
            return error.message + advice
        }
        if let directory = currentDirectoryURL?.path, let error = Self.whyUnusable(directory, isDirectory: true) {
            return "its current directory \(directory): \(error.message)"
        }
        return Self.whyNoProgram(executableURL.path, in: currentDirectoryURL)
    }

    var wasStarted: Bool {
        // Before the start the number is 0 in Foundation on Linux; Apple does not document the value.
        isRunning || processIdentifier > 0
    }

    private static var ignoresEndOfChildren: Bool {
        var action = sigaction()
        guard sigaction(SIGCHLD, nil, &action) == 0 else { return false }
        guard action.sa_flags & SA_NOCLDWAIT == 0 else { return true }
        #if canImport(Darwin)
        let handler = action.__sigaction_u.__sa_handler
        #else
        let handler = action.__sigaction_handler.sa_handler
        #endif
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    private static func whyUnusable(_ path: String, isDirectory: Bool) -> POSIXError? {
        var info = stat()
        guard stat(path, &info) == 0, access(path, X_OK) == 0 else { return .last }
        switch info.st_mode & S_IFMT {
        case S_IFDIR: return isDirectory ? nil : POSIXError(.EISDIR)
        case S_IFREG: return isDirectory ? POSIXError(.ENOTDIR) : nil
        // Opening a named pipe would wait for a writer.
        default: return POSIXError(isDirectory ? .ENOTDIR : .EACCES)
        }
    }

    /// The reason why the system cannot run a file; nil if it can, or if that is unknown.
    private static func whyNoProgram(_ path: String, in directory: URL?) -> String? {
        // Independent of `SIMPLEFUTURES_APPLE`, because Foundation on Linux needs this check.
        #if os(Linux)
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        // Nil at the end of an empty file.
        guard let start = try? file.read(upToCount: 256) ?? Data() else { return nil }
        if start.starts(with: "#!".utf8) {
            let line = String(decoding: start.dropFirst(2).prefix { $0 != 0x0A }, as: UTF8.self)
            guard let interpreter = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).first else { return nil }
            // The child changes its directory before it runs the program.
            let place = interpreter.hasPrefix("/") ? "" : directory.map { $0.path + "/" } ?? ""
            return whyUnusable(place + interpreter, isDirectory: false).map {
                "its interpreter \(interpreter): \($0.message)"
            }
        }
        // Other formats may be registered.
        let formats = try? FileManager.default.contentsOfDirectory(atPath: "/proc/sys/fs/binfmt_misc")
        guard formats?.contains(where: { $0 != "register" && $0 != "status" }) != true else { return nil }
        return start.starts(with: "\u{7F}ELF".utf8) ? nil : POSIXError(.ENOEXEC).message
        #else
        return nil
        #endif
    }

    /// Creates an error that names the program.
    func notStarted(_ reason: String) -> ProcessError {
        .notStarted(executable: executableURL?.path ?? "", reason: reason)
    }

    /// Starts the process with the main thread's signal mask.
    ///
    /// A child inherits the signals that its parent's thread blocks. Dispatch threads, and threads that they create,
    /// block nearly all signals, SIGTERM among them.
    func runWithSignalsOfMainThread() throws {
        var blocked = Self.signalsBlockedByMainThread
        var old = sigset_t()
        pthread_sigmask(SIG_SETMASK, &blocked, &old)
        defer { pthread_sigmask(SIG_SETMASK, &old, nil) }
        try run()
    }

    /// The main thread's blocked signals.
    ///
    /// Not simply none: a program that waits for a signal with `sigwait` relies on it that no thread lets it in. Empty on
    /// Apple's systems, where a thread cannot read another one's mask.
    private static var signalsBlockedByMainThread: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        #if os(Linux) && !SIMPLEFUTURES_APPLE
        var bits: UInt64 = 0
        // A thread blocks all signals for a moment, while it creates another one. A program that really blocks SIGSEGV
        // blocks it still after some attempts.
        for _ in 0..<50 {
            bits = mainThreadMask ?? 0
            guard bits >> UInt64(SIGSEGV - 1) & 1 == 1 else { break }
            sched_yield()
        }
        for signal in 1...64 where bits >> UInt64(signal - 1) & 1 == 1 { sigaddset(&signals, Int32(signal)) }
        #endif
        return signals
    }

    #if os(Linux) && !SIMPLEFUTURES_APPLE
    private static var mainThreadMask: UInt64? {
        let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("SigBlk:") }
        return line.flatMap { UInt64($0.dropFirst(7).drop { $0 == "\t" }, radix: 16) }
    }
    #endif
}

extension Error {
    /// The system's error message if there is one, otherwise Foundation's.
    var reason: String {
        let error = self as NSError
        for error in [error, error.userInfo[NSUnderlyingErrorKey] as? NSError] {
            if let error, error.domain == NSPOSIXErrorDomain { return String(cString: strerror(Int32(error.code))) }
        }
        let text = error.localizedDescription
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}
#endif
