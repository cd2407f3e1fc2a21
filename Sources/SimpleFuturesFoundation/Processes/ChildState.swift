#if os(macOS) || os(Linux)
/// The state machine of a child process: whether there is a child to stop.
///
///     waiting ──► starting ──► running ──► ended
///     starting ──► ended                    it cannot be started
///
/// A child that is stopped while it waits never starts.
struct ChildState: Sendable {
    /// The reason for stopping a child.
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
    /// The process group that the stop signal was sent to.
    var group: Int32?
    /// The first reason for stopping the child.
    private(set) var reason: Reason?

    /// Returns false when the child was already stopped.
    mutating func start() -> Bool {
        guard phase == .waiting, reason == nil else { return false }
        phase = .starting
        return true
    }

    /// Returns whether the child must be stopped at once.
    mutating func hasStarted() -> Bool {
        guard phase == .starting else { return false }
        phase = .running
        return reason != nil
    }

    /// Returns whether a running child must get the signal now.
    mutating func stop(_ new: Reason) -> Bool {
        guard reason == nil, phase != .ended else { return false }
        reason = new
        return phase == .running
    }

    var isRunning: Bool { phase == .running }

    /// Returns false when the end was already known.
    mutating func end() -> Bool {
        defer { phase = .ended }
        return phase != .ended
    }
}
#endif
