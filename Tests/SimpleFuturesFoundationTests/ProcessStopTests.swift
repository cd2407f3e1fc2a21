#if os(macOS) || os(Linux)
import Foundation
import SimpleFutures
@testable import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Stopping processes", .watchdog)
struct ProcessStopTests {
    /// A child whose script writes its process id into a fifo.
    private struct Child {
        let process: Process
        private let path: String
        private let folder: Folder

        init(_ script: String) throws {
            folder = try Folder()
            path = folder.fifo("number")
            process = shell("\(script)\n")
            process.environment = ["NUMBER": path, "PATH": "/usr/bin:/bin"]
        }

        func number() async -> Int32 {
            await SimpleFuturesFoundationTests.number(fromFifo: path)
        }
    }

    /// Waits forever, without a child process.
    static let sayNumber = "echo $$ > $NUMBER; "
    static let forEver = "exec tail -f /dev/null"

    @Test func `a token stops a child that never ends, and cancels the future at once`() async throws {
        let child = try Child(Self.sayNumber + Self.forEver)
        let token = CancelToken()
        let future = child.process.output(cancelToken: token)
        let id = await child.number()
        #expect(isAlive(id))
        token.cancel()
        #expect(future.isCancelled)
        #expect(await eventually { !isAlive(id) && !child.process.isRunning })
        #expect(child.process.terminationReason == .uncaughtSignal && child.process.terminationStatus == SIGTERM)
    }

    static let stops: [(String, Duration, ProcessOutput.Termination, String, String)] = [
        ("echo first; \(sayNumber)\(forEver)", .seconds(100), .signalled(SIGTERM), "first\n", ""),
        (
            "trap 'echo last; echo words >&2; exit 9' TERM; \(sayNumber)tail -f /dev/null & wait", .seconds(100),
            .exited(9), "last\n", "words\n"
        ),
        ("trap '' TERM; \(sayNumber)\(forEver)", .zero, .signalled(SIGKILL), "", ""),
        ("trap '' TERM; \(sayNumber)\(forEver)", .milliseconds(50), .signalled(SIGKILL), "", ""),
    ]

    @Test(arguments: stops)
    func `with wait, a token ends the child, if necessary after the grace period, and its whole output is returned`(
        script: String, gracePeriod: Duration, end: ProcessOutput.Termination, text: String, errorText: String
    ) async throws {
        let (child, token) = (try Child(script), CancelToken())
        let future = child.process.output(gracePeriod: gracePeriod, cancelToken: token, onCancel: .wait)
        let id = await child.number()
        let start = ContinuousClock.now
        token.cancel()
        let output = try await future.value
        #expect(output.termination == end && output.text == text && output.errorText == errorText)
        #expect(end != .signalled(SIGKILL) || ContinuousClock.now - start >= gracePeriod)
        #expect(!isAlive(id))
    }

    @Test(arguments: [("", Duration.seconds(100), SIGTERM), ("trap '' TERM; ", .milliseconds(20), SIGKILL)])
    func `a timeout stops the child, and fails the future when it has ended`(
        trap: String, gracePeriod: Duration, signal: Int32
    ) async throws {
        let folder = try Folder()
        let script = "\(trap)touch \(folder.path("ready")); \(Self.forEver)"
        var timeout = Duration.milliseconds(50)
        while true {
            let process = shell(script)
            let future = process.output(timeout: timeout, gracePeriod: gracePeriod)
            await #expect(throws: FuturesError.timedOut) { try await future.value }
            #expect(!isAlive(process.processIdentifier))
            // On a busy machine the time may be over before the child is ready.
            timeout *= 2
            guard folder.has("ready") else { continue }
            #expect(await eventually { !process.isRunning })
            return #expect(process.terminationStatus == signal)
        }
    }

    @Test func `the error of a timeout names the call`() async throws {
        let line = #line + 1
        let error = await shell(Self.forEver).output(timeout: .milliseconds(1)).outcome.error
        let text = "\(try #require(error))"
        #expect(text.contains("ProcessStopTests.swift:\(line)") && text.contains("within 0.001 seconds"), "\(text)")
    }

    @Test(arguments: [("", Duration.seconds(100)), ("trap '' TERM; ", .milliseconds(50))])
    func `the children of a child end with it, because it leads a process group, at the latest after the grace period`(
        trap: String, gracePeriod: Duration
    ) async throws {
        let ownNumber = "$(exec sh -c 'echo $PPID')"
        let child = try Child("(\(trap)echo \(ownNumber) > $NUMBER; while :; do sleep 0.05; done) & wait")
        let token = CancelToken()
        let future = child.process.output(gracePeriod: gracePeriod, cancelToken: token, onCancel: .wait)
        let grandchild = await child.number()
        try #require(grandchild > 0)
        // The child may run before the thread that started it records its id.
        #expect(await eventually { getpgid(grandchild) == child.process.processIdentifier })
        token.cancel()
        #expect(try await future.value.termination == .signalled(SIGTERM))
        #expect(await eventually { !isAlive(grandchild) })
        kill(grandchild, SIGKILL)
    }

    @Test func `a child that writes more than the limit is stopped, and that is the error`() async throws {
        let error = await shell("yes").output(outputLimit: 1_000_000).outcome.error
        #expect(error as? ProcessError == .outputTooLarge(limit: 1_000_000))
        let text = "more than 1000000 bytes to one of its outputs and was stopped; raise `outputLimit`, or set that"
        #expect("\(try #require(error))".contains(text))
        let output = try await shell("printf 12345; printf 123 >&2").output(outputLimit: 5).value
        #expect(output.text == "12345" && output.errorText == "123")
    }

    @Test func `a negative output limit stops the program with a message`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = shell("exit 0").output(outputLimit: -1)
        }
        expect(result, toSay: "`Process.output` was given the output limit -1", "Pass 0 or more")
    }

    @Test(arguments: [TaskCancellationResponse.abandon, .wait], [0, 20])
    func `a child stopped before its start, or while others start, is not started`(
        response: TaskCancellationResponse, otherCount: Int
    ) async throws {
        let folder = try Folder()
        let token = CancelToken()
        let others = (0..<otherCount).map { _ in shell("exit 0").output() }
        if others.isEmpty { token.cancel() }
        let future = shell("touch \(folder.path("file"))").output(cancelToken: token, onCancel: response)
        token.cancel()
        #expect(await future.outcome.error is CancellationError)
        for other in others { _ = try await other.value }
        // This child starts after it.
        _ = try await shell("exit 0").output().value
        #expect(!folder.has("file"))
    }

    @Test func `dropping the future does not stop the child`() async throws {
        let folder = try Folder()
        let process = shell("echo x > \(folder.path("file"))")
        do { _ = process.output() }
        #expect(await eventually { folder.has("file") && !process.isRunning })
    }

    @Test func `a child can be stopped at any moment of its life`() async throws {
        for round in 0..<Stress.rounds(60) {
            let token = CancelToken()
            let process = shell("echo done")
            let response: TaskCancellationResponse = round % 2 == 0 ? .wait : .abandon
            let future = process.output(cancelToken: token, onCancel: response)
            let canceller = Task.detached {
                if round % 3 == 0 { await eventually { process.processIdentifier != 0 } }
                for _ in 0..<round * 3 { await Task.yield() }
                token.cancel()
            }
            switch await future.outcome {
            case .success(let output):
                #expect(output.text == "done\n" || output.termination == .signalled(SIGTERM))
            case .failure(let error): #expect(error is CancellationError)
            }
            await canceller.value
            #expect(await eventually { !process.isRunning })
        }
    }
}

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
            player.next(self.isStartable ? "launch" : "fail") { [self] in
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
