#if os(macOS) || os(Linux)
import Foundation

/// Tells of the exit of a child itself.
enum ChildExit {
    /// Runs a closure when a child has exited, on a thread of its own; elsewhere than on Linux with glibc, never: there
    /// Foundation tells.
    ///
    /// On Linux Foundation learns of it by the end of a socket that the child's own children have, too, and so tells
    /// when these have ended. It is left to Foundation to collect the child.
    static func whenExited(
        _ child: Int32, _ body: @escaping @Sendable (ProcessOutput.Termination) -> Void
    ) {
        #if canImport(Glibc)
        let thread = Thread {
            var info = siginfo_t()
            while waitid(P_PID, id_t(child), &info, WEXITED | WNOWAIT) != 0 {
                // Foundation has been faster, and tells.
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
    /// How a process has ended.
    init(of process: Process) {
        self =
            process.terminationReason == .exit
            ? .exited(process.terminationStatus) : .signalled(process.terminationStatus)
    }
}
#endif
