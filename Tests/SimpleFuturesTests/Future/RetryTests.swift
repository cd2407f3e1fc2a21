import SimpleFutures
import Testing
@testable import TestSupport

/// In virtual time, without sleeping.
@Suite("retry", .watchdog)
struct RetryTests {
    /// Starts the attempts, and reports them to the test.
    private final class Server: Sendable {
        let context = ManualContext()
        let asked = Log<Duration>()
        private let answers: Lock<[Future<Int>]>

        init(_ answers: [Future<Int>]) { self.answers = Lock(answers) }

        convenience init(_ answers: Future<Int>...) { self.init(answers) }

        /// After the last answer, attempts throw.
        func retry(
            _ attempts: Int, delay: Duration = .zero, cancelToken: CancelToken = .none,
            while shouldRetry: @escaping @Sendable (any Error) -> Bool = { _ in true }
        ) -> Future<Int> {
            .retry(attempts, delay: delay, context: context, cancelToken: cancelToken, while: shouldRetry) {
                self.asked.add(self.context.now)
                guard let next = self.answers.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
                    throw Oops.thrown
                }
                return next
            }
        }
    }

    private let failed = Future<Int>(error: Oops.source)
    private let other = Future<Int>(error: Oops.other)

    @Test(arguments: [1, 3])
    func `if all attempts fail the last error is the result, without a task or a timer`(attempts: Int) {
        let last = Future<Int>()
        let server = Server(Array(repeating: other, count: attempts - 1) + [last, Future(value: 3)])
        let result = server.retry(attempts, delay: .seconds(1))
        server.context.advance(by: .seconds(10))
        #expect(result.ended == .pending)
        last.failure(Oops.source)
        #expect(result.ended == .failure(Oops.source))
        #expect(server.asked.count == attempts)
        #expect(server.context.pendingCount == 0)
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func `a broken promise and an error thrown by the closure are failed attempts, and no delay needs no timer`(
        delay: Duration
    ) {
        let server = Server(Promise().future)
        let result = server.retry(3, delay: delay)
        server.context.run()
        #expect(result.ended == .failure(Oops.thrown))
        #expect(server.asked.count == 3)
    }

    @Test func `the delay passes between attempts`() {
        let slow = Future<Int>()
        let server = Server(failed, slow, Future(value: 3))
        let result = server.retry(3, delay: .seconds(10))
        #expect(server.asked.count == 0, "the closure has not waited for its context")
        server.context.run()
        #expect(server.asked.all == [.zero])
        #expect(server.context.timerCount == 1)
        server.context.advance(by: .seconds(9))
        #expect(server.asked.count == 1)
        server.context.advance(by: .seconds(1))
        #expect(server.asked.all == [.zero, .seconds(10)])
        #expect(server.context.timerCount == 0)
        server.context.advance(by: .seconds(30))
        slow.failure(Oops.source)
        server.context.advance(by: .seconds(10))
        #expect(server.asked.all == [.zero, .seconds(10), .seconds(50)])
        #expect(result.ended == .success(3))
        #expect(server.context.pendingCount == 0)
    }

    @Test func `while can stop the attempts, and is not called after the last one`() {
        let errors = Log<String>()
        let stopping = Server(failed, other, Future(value: 3))
        let stopped = stopping.retry(5, delay: .seconds(1)) { error in
            errors.add("\(error)")
            return error as? Oops == .source
        }
        stopping.context.advance(by: .seconds(100))
        #expect(stopped.ended == .failure(Oops.other))
        #expect(errors.all == ["source", "other"])
        #expect(stopping.asked.count == 2)
        #expect(stopping.context.timerCount == 0)
        let ending = Server(failed, failed)
        let ended = ending.retry(2) { _ in
            errors.add("again")
            return true
        }
        ending.context.run()
        #expect(ended.completed)
        #expect(errors.all == ["source", "other", "again"])
    }

    @Test func `another thread can run the context and advance its time as soon as a task waits`() {
        let context = HastyContext()
        let asked = Log<Duration>()
        let result = Future<Int>.retry(2, delay: .seconds(1), context: context) {
            asked.add(context.now)
            throw Oops.source
        }
        #expect(asked.all == [.zero, .seconds(1)])
        #expect(result.ended == .failure(Oops.source))
    }

    // MARK: Other ends

    enum Stage: CaseIterable, Sendable {
        case beforeTheFirst
        case duringAnAttempt
        case duringTheDelay
        case beforeTheNext
    }

    @Test(arguments: Stage.allCases)
    func `canceled between attempts`(stage: Stage) {
        let (pending, token) = (Future<Int>(), CancelToken())
        let server = Server(stage == .duringAnAttempt ? pending : failed, Future(value: 2))
        let result = server.retry(3, delay: stage == .beforeTheNext ? .zero : .seconds(1), cancelToken: token)
        switch stage {
        case .beforeTheFirst: break
        case .duringAnAttempt, .duringTheDelay: server.context.run()
        case .beforeTheNext: server.context.runNext()
        }
        let before = server.asked.count
        token.cancel()
        #expect(result.ended == .cancelled)
        #expect(server.context.timerCount == 0)
        #expect(pending.observerCount == 0)
        pending.success(1)
        server.context.advance(by: .seconds(100))
        #expect(server.asked.count == before)
        #expect(server.context.pendingCount == 0)
    }

    @Test(arguments: [true, false])
    func `canceled while its while closure runs`(goesOn: Bool) {
        let token = CancelToken()
        let server = Server(failed, Future(value: 2))
        let result = server.retry(3, delay: .seconds(1), cancelToken: token) { _ in
            token.cancel()
            return goesOn
        }
        server.context.run()
        #expect(result.ended == (goesOn ? .cancelled : .failure(Oops.source)))
        #expect(server.context.timerCount == 0)
        #expect(server.asked.count == 1)
    }

    @Test func `a canceled attempt cancels the result`() {
        let attempt = Source()
        let server = Server(attempt.future, Future(value: 2))
        let result = server.retry(3)
        server.context.run()
        attempt.end(.cancellation)
        server.context.run()
        #expect(result.ended == .cancelled)
        #expect(server.asked.count == 1)
    }

    @Test(arguments: [true, false])
    func `the closures are released with the last attempt`(succeeds: Bool) {
        let (context, token, attempt) = (ManualContext(), CancelToken(), Future<Int>())
        var result: Future<Int>?
        let watch = Watch { probe in
            result = .retry(
                2, context: context, cancelToken: token,
                while: { _ in
                    probe.use()
                    return false
                },
                {
                    probe.use()
                    return attempt
                })
        }
        context.run()
        if succeeds { attempt.success(1) } else { attempt.failure(Oops.source) }
        context.run()
        #expect(watch.isReleased)
        #expect(result?.completed == true)
        #expect(token.registrationCount == 0)
    }

    @Test func `retry continues if its result is released`() {
        let server = Server(failed, Future(value: 2))
        let seen = Log<Int>()
        server.retry(2, delay: .seconds(1)).onSuccess(context: immediate) { seen.add($0) }
        server.context.advance(by: .seconds(1))
        #expect(seen.all == [2])
    }
}

/// A context on which another thread runs each task and advances the time as soon as a task waits.
private final class HastyContext: ExecutionContext {
    private let context = ManualContext()
    private let isUsed = Lock(false)

    var now: Duration { context.now }

    func execute(_ task: @escaping @Sendable () -> Void) {
        context.execute(task)
        if !isUsed.exchange(true) { #expect(returns { self.context.advance(by: .seconds(1)) }) }
    }

    func execute(after delay: Duration, _ task: @escaping @Sendable () -> Void) -> Registration {
        context.execute(after: delay, task)
    }
}

@Suite("Future: retry with a backoff", .watchdog)
struct BackoffTests {
    /// The times of attempts that all fail, in milliseconds.
    private func times(_ attempts: Int, _ backoff: Backoff) -> [Double] {
        let (clock, times) = (ManualContext(), Log<Double>())
        let result = Future<Int>.retry(attempts, backoff: backoff, context: clock) {
            times.add(clock.now / .milliseconds(1))
            throw Oops.thrown
        }
        for _ in 0..<100 {
            clock.run()
            clock.advance(by: .milliseconds(50))
        }
        #expect(result.ended == .failure(Oops.thrown))
        return times.all
    }

    @Test func `the delay after a failure is constant, grows up to a limit, or is what a function returns`() {
        let hundred = Duration.milliseconds(100)
        #expect(times(4, .constant(hundred)) == [0, 100, 200, 300])
        #expect(times(6, .exponential(hundred, limit: .milliseconds(500))) == [0, 100, 300, 700, 1_200, 1_700])
        let seen = Log<String>()
        let backoff = Backoff { attempt, error in
            seen.add("\(attempt) \(error)")
            return hundred * attempt
        }
        #expect(times(3, backoff) == [0, 100, 300])
        #expect(seen.all == ["1 thrown", "2 thrown"])
    }

    /// A backoff, a number of attempts, and the delay after them.
    private static let extremes: [(Backoff, Int, Duration)] = [
        (.exponential(.seconds(1)), .max, .seconds(60)),
        (.exponential(.seconds(90)), 1, .seconds(60)),
        (.exponential(.zero), .max, .zero),
        (.exponential(.seconds(8), factor: 0), .max, .zero),
        (.exponential(.seconds(8), factor: 0.5), 3, .seconds(2)),
        (.exponential(.seconds(8), factor: 0.5), .max, .zero),
        (.exponential(.seconds(8), factor: 1.000_1), .max, .seconds(60)),
        (.exponential(.seconds(8)), 3, .seconds(32)),
        (.exponential(.seconds(1), factor: 1), .max, .seconds(1)),
        (.exponential(.seconds(1), factor: .infinity), 2, .seconds(60)),
        (.exponential(.seconds(1), factor: 1e300), 9, .seconds(60)),
        (Backoff.constant(.seconds(1)).jitter(1e300...1e300), 1, .seconds(1_000_000_000_000_000)),
    ]

    @Test(arguments: extremes)
    func `any number of attempts, and any delay or factor, stays within the limit`(
        _ backoff: Backoff, _ attempts: Int, _ delay: Duration
    ) {
        #expect(backoff.delay(attempts, Oops.other) == delay)
    }

    @Test func `jitter stays in its range, and is repeatable with a generator`() {
        let backoff = Backoff.constant(.seconds(1))
        let delays = (1...100).map { backoff.jitter(0.5...1).delay($0, Oops.other) }
        #expect(delays.allSatisfy { (.milliseconds(500) ... .seconds(1)).contains($0) })
        let (first, second) = (backoff.jitter(using: Random(seed: 1)), backoff.jitter(using: Random(seed: 1)))
        let firstDelays = (1...10).map { first.delay($0, Oops.other) }
        #expect(firstDelays == (1...10).map { second.delay($0, Oops.other) })
        #expect(Set((1...10).map { first.delay($0, Oops.other) }).count == 10)
    }

    @Test func `a negative delay means none, also with jitter`() {
        for delay in [Duration.seconds(-1), .seconds(Int64.min)] {
            #expect(Backoff.constant(delay).jitter(1e300...1e300).delay(1, Oops.other) <= .zero)
            #expect(Backoff.constant(delay).jitter(1...1).delay(1, Oops.other) <= .zero)
        }
    }
}
