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

    /// Starts the process with no signal blocked.
    ///
    /// A child inherits the signals that its parent's thread blocks. Dispatch threads, and threads that they create,
    /// block nearly all signals, SIGTERM among them, and so does any thread for a moment while it creates another one.
    func runWithoutBlockedSignals() throws {
        var (none, old) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &old)
        defer { pthread_sigmask(SIG_SETMASK, &old, nil) }
        try run()
    }
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
