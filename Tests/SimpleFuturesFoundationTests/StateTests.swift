import Testing

@testable import SimpleFuturesFoundation
@testable import TestSupport

@Suite("The unread bytes of a body", .watchdog)
struct BodyBacklogTests {
    // `+` adds a piece, `-` removes one. In the answers, `!` suspends or resumes the task.
    @Test(arguments: [
        (1, "+-+-", "...."), (1_000_000, "+-+-", "...."), (65_537, "+++---", ".!...!"), (65_537, "++-+--", ".!...!"),
        (30_000, "++++----", "...!...!"),
    ])
    func `more than 64 KB besides the newest piece suspend the task, and it is resumed when all are read`(
        size: Int, steps: String, answers: String
    ) {
        var backlog = BodyBacklog()
        #expect(String(steps.map { ($0 == "+" ? backlog.add(size) : backlog.remove(size)) ? "!" : "." }) == answers)
    }
}

#if os(macOS) || os(Linux)
@Suite("A child process in every order of steps", .watchdog)
struct ChildStateTests {
    @Test(arguments: [true, false])
    func `start, end, timeout and cancellation`(isStartable: Bool) throws {
        let orders = try everyOrder {
            let scene = ChildScene(isStartable: isStartable)
            scene.starts()
            scene.stops("canceller", .cancelled)
            scene.stops("limit", .timedOut)
            return scene
        }
        #expect(orders == (isStartable ? 50 : 10))
    }
}

/// A child process, in the steps of `ChildProcess`.
final class ChildScene: Scene {
    private enum Answer {
        case cancelled
        case notStarted
        case ended(ChildState.Reason?)
    }

    private var state = ChildState()
    private let isStartable: Bool
    private var answers: [Answer] = []
    private var firstReason: ChildState.Reason?
    /// Whether there is a process that has not ended.
    private var isAlive = false
    private var wasAlive = false
    private var terminations = 0
    private var wasStoppedInTime = false
    private var wasStartedInVain = false
    private lazy var queue = player("queue")

    init(isStartable: Bool) { self.isStartable = isStartable }

    func starts() {
        let player = player("launcher")
        player.add("start") { [self] in
            guard state.start() else { return answers.append(.cancelled) }
            if firstReason != nil { wasStartedInVain = true }
            player.next(isStartable ? "launch" : "fail") { [self] in
                guard isStartable else {
                    _ = state.end()
                    return answers.append(.notStarted)
                }
                (isAlive, wasAlive) = (true, true)
                player.next("has started") { [self] in
                    if state.hasStarted() { terminate() }
                    // The end is reported twice: by the library and by Foundation.
                    queue.add("exit") { [self] in
                        isAlive = false
                        for name in ["end", "the same from Foundation"] { queue.add(name) { [self] in hasEnded() } }
                    }
                }
            }
        }
    }

    func stops(_ name: String, _ reason: ChildState.Reason) {
        player(name).add("stop") { [self] in
            if firstReason == nil, answers.isEmpty { firstReason = reason }
            if isAlive { wasStoppedInTime = true }
            if state.stop(reason) { queue.add("terminate") { [self] in terminate() } }
        }
    }

    private func terminate() {
        terminations += 1
        if answers.isEmpty, !state.isRunning { terminations += 10 }
    }

    private func hasEnded() {
        let (isFirst, reason) = (state.end(), state.reason)
        if isFirst { answers.append(.ended(reason)) }
    }

    override var complaint: String? {
        if wasStartedInVain { return "it was started after it was stopped" }
        if answers.count > 1 { return "\(answers) were given" }
        if terminations > 1 { return "it was terminated \(terminations) times" }
        if let reason = state.reason, reason != firstReason { return "\(reason) counts, not the first" }
        return nil
    }

    override var complaintAtEnd: String? {
        switch answers.first {
        case nil: return "there is no answer"
        case .cancelled: return firstReason != nil && !wasAlive ? nil : "it was cancelled without a cause"
        case .notStarted: return isStartable || terminations > 0 ? "it was not started" : nil
        case .ended(let reason):
            if wasStoppedInTime, terminations == 0 { return "it was stopped, and not terminated" }
            return reason == firstReason ? nil : "it has ended by \(reason.map { "\($0)" } ?? "itself")"
        }
    }
}
#endif
