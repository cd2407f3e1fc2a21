#if os(macOS) || os(Linux)
import Foundation

/// Reports the exit of the child itself.
enum ChildExit {
    /// Runs a closure on a separate thread when a child has exited.
    ///
    /// Does nothing except on Linux with glibc, because elsewhere Foundation reports the exit.
    ///
    /// On Linux Foundation detects the exit by the end of a socket that the child's own children inherit, and so
    /// reports it only after they have ended. Foundation still collects the child.
    static func whenExited(
        _ child: Int32, _ body: @escaping @Sendable (ProcessOutput.Termination) -> Void
    ) {
        #if canImport(Glibc)
        let thread = Thread {
            var info = siginfo_t()
            while waitid(P_PID, id_t(child), &info, WEXITED | WNOWAIT) != 0 {
                // Foundation has already collected the child, and reports its exit.
                guard errno == EINTR else { return }
            }
            let status = info._sifields._sigchld.si_status
            body(info.si_code == Int32(CLD_EXITED) ? .exited(status) : .signalled(status))
        }
        thread.name = "SimpleFuturesFoundation.ChildExit"
        thread.stackSize = 128 * 1024
        thread.start()
        #endif
    }
}

extension ProcessOutput.Termination {
    /// Creates a value from a process that has ended.
    init(of process: Process) {
        self =
            process.terminationReason == .exit
            ? .exited(process.terminationStatus) : .signalled(process.terminationStatus)
    }
}
#endif
