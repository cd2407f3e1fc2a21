#if os(macOS) || os(Linux)
/// The state machine of a child process: whether there is one to be stopped.
///
///     waiting ──► starting ──► running ──► ended
///     starting ──► ended                    it cannot be started
///
/// One that is stopped while it waits never starts.
struct ChildState: Sendable {
    /// Why a child is stopped.
    enum Reason: Sendable {
        case cancelled
        case timedOut
        case outputTooLarge
    }

    private enum Phase: Sendable {
        case waiting
        case starting
        case running
        case ended
    }

    private var phase = Phase.waiting
    /// The process group that was sent a signal.
    var group: Int32?
    /// Why it is being stopped; the first reason counts.
    private(set) var reason: Reason?

    /// False when it was stopped before.
    mutating func start() -> Bool {
        guard phase == .waiting, reason == nil else { return false }
        phase = .starting
        return true
    }

    /// Says whether it is to be stopped at once.
    mutating func hasStarted() -> Bool {
        guard phase == .starting else { return false }
        phase = .running
        return reason != nil
    }

    /// Says whether there is a child that must get the signal now.
    mutating func stop(_ new: Reason) -> Bool {
        guard reason == nil, phase != .ended else { return false }
        reason = new
        return phase == .running
    }

    var isRunning: Bool { phase == .running }

    /// False when it was known before.
    mutating func end() -> Bool {
        defer { phase = .ended }
        return phase != .ended
    }
}
#endif
