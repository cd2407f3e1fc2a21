import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Attempts of an asynchronous closure", .watchdog)
@MainActor struct AsyncRetryTests {
    private let attempts = Box(0)
    private let clock = ManualContext()

    @Test func `they go on until one returns a value, on the caller's actor`() async throws {
        let page = Locals.$id.withValue(7) {
            Future.retry(3) {
                MainActor.assertIsolated()
                attempts.value += 1
                guard attempts.value == 3 else { throw Failure() }
                return try await Future(value: Locals.id).value
            }
        }
        #expect(try await page.value == 7 && attempts.value == 3)
    }

    @Test(arguments: [1, 3])
    func `the error of the last one is that of the future`(_ count: Int) async {
        let page = Future<Int>.retry(count, delay: .zero) { () async throws in throw Numbered(attempt()) }
        #expect(await page.outcome.error as? Numbered == Numbered(count))
    }

    @Test func `an error that is not worth it ends them`() async {
        let page = Future<Int>.retry(9, while: { ($0 as? Numbered)?.number != 2 }) { () async throws in
            throw Numbered(attempt())
        }
        #expect(await page.outcome.error as? Numbered == Numbered(2))
    }

    @Test func `they are as far apart as the backoff says`() async throws {
        let page = Future.retry(3, backoff: .exponential(.seconds(1)), context: clock) {
            if attempt() < 3 { throw Failure() }
            return try await Future(value: "page").value
        }
        for seconds in [1, 2] {
            try await clock.timers(atLeast: 1).value
            #expect(attempts.value == seconds)
            clock.advance(by: .seconds(seconds))
        }
        #expect(try await page.value == "page")
    }

    @Test(arguments: ["during an attempt", "between two"])
    func `the token ends the attempt, and no further one begins`(_ time: String) async throws {
        let (token, started) = (CancelToken(), Promise<Void>())
        let page = Future<Int>.retry(3, delay: .seconds(1), context: clock, cancelToken: token) {
            attempts.value += 1
            guard time == "during an attempt" else { throw Failure() }
            started.success()
            return try await Future<Int>().value
        }
        if time == "between two" { try await clock.timers(atLeast: 1).value } else { try await started.future.value }
        token.cancel()
        #expect(await page.outcome.error is CancellationError)
        #expect(attempts.value == 1 && clock.timerCount == 0)
    }

    @Test func `no attempt begins while a callback that has canceled the token goes on`() async throws {
        let token = CancelToken()
        let page = Future<Int>.retry(3, delay: .seconds(1), context: clock, cancelToken: token) { () async throws in
            throw Numbered(attempt())
        }
        try await clock.timers(atLeast: 1).value
        await cancelInCallback(token, until: page) { [clock] in clock.advance(by: .seconds(1)) }
        #expect(page.result?.error is CancellationError && attempts.value == 1)
    }

    @Test func `an attempt that fails during the callback that canceled the token needs no decision`() async throws {
        let (token, started, gate, wasAsked) = (CancelToken(), Promise<Void>(), Promise<Void>(), Box(false))
        @Sendable func ask(_: any Error) -> Bool {
            wasAsked.value = true
            return true
        }
        let page = Future<Int>.retry(3, cancelToken: token, while: ask) { () async throws in
            started.success()
            try await gate.future.value
            throw Numbered(attempt())
        }
        try await started.future.value
        await cancelInCallback(token, until: page) { gate.success() }
        #expect(page.result?.error as? Numbered == Numbered(1) && !wasAsked.value)
    }

    @Test func `a decision during the callback that canceled the token begins no attempt`() async throws {
        let (token, started, gate) = (CancelToken(), Promise<Void>(), Gate())
        @Sendable func ask(_: any Error) -> Bool {
            started.trySuccess()
            gate.pass()
            return true
        }
        let page = Future<Int>.retry(3, cancelToken: token, while: ask) { () async throws in throw Numbered(attempt()) }
        try await started.future.value
        await cancelInCallback(token, until: page) { gate.open() }
        #expect(page.result?.error is CancellationError && attempts.value == 1)
    }

    @Test func `a pending delay does not keep its context alive`() async {
        weak var released: ManualContext?
        do {
            let context = ManualContext()
            released = context
            Future<Int>.retry(2, delay: .seconds(1), context: context) { () async throws in throw Numbered(attempt()) }
                .onComplete(context: immediate) { _ in }
            await until { context.pendingCount == 1 }
        }
        await until { released == nil }
    }

    @Test(arguments: [true, false])
    func `a token that is canceled by the decision about the next one ends them`(_ inWhile: Bool) async {
        let token = CancelToken()
        @Sendable func cancel(if isNow: Bool) -> Bool {
            if isNow { token.cancel() }
            return true
        }
        let backoff = Backoff { _, _ in cancel(if: !inWhile) ? .zero : .seconds(1) }
        let page = Future<Int>.retry(3, backoff: backoff, cancelToken: token, while: { _ in cancel(if: inWhile) }) {
            () async throws in throw Numbered(attempt())
        }
        #expect(await page.outcome.error is CancellationError && attempts.value == 1)
    }

    @Test func `an attempt that fails after the cancellation ends them with its error, without a decision`() async {
        let (token, wasAsked) = (CancelToken(), Box(false))
        @Sendable func ask(_: any Error) -> Bool {
            wasAsked.value = true
            return true
        }
        let page = Future<Int>.retry(3, cancelToken: token, while: ask) { () async throws in
            token.cancel()
            throw Numbered(attempt())
        }
        #expect(await page.outcome.error as? Numbered == Numbered(1))
        #expect(!wasAsked.value)
    }

    @Test func `a closure that returns a future is an attempt of the other kind`() async throws {
        let save = { @Sendable [attempts] () -> Future<Int> in
            attempts.value += 1
            return Future(error: Numbered(attempts.value))
        }
        let page: Int = try await Future.retry(2) { Future(value: 1) }.value
        let saved: Future<Void> = .retry(2) { save() }
        #expect(page == 1)
        #expect(await saved.outcome.error as? Numbered == Numbered(2))
        let spaced: Future<Void> = .retry(2, backoff: .constant(.zero)) { save() }
        #expect(await spaced.outcome.error as? Numbered == Numbered(4))
        let typed = { @Sendable in save().typed(as: Numbered.self) }
        #expect(await Future.retry(2) { typed() }.outcome.error as? Numbered == Numbered(6))
        #expect(await Future.retry(2, backoff: .constant(.zero)) { typed() }.outcome.error as? Numbered == Numbered(8))
        #expect(await Future.retry(2, while: { _ in false }) { typed() }.outcome.error as? Numbered == Numbered(9))
        let ignored: Future<Void> = .retry(2) { typed() }
        #expect(await ignored.outcome.error as? Numbered == Numbered(11))
        let ignoredSpaced: Future<Void> = .retry(2, backoff: .constant(.zero)) { typed() }
        #expect(await ignoredSpaced.outcome.error as? Numbered == Numbered(13))
        let own: TypedFuture<Int, Numbered> = .retry(2, backoff: .constant(.zero)) { typed() }
        #expect(await own.future.outcome.error as? Numbered == Numbered(15))
        let (token, context) = (CancelToken(), ManualContext())
        let delayed = Future.retry(2, delay: .seconds(1), context: context, cancelToken: token) { typed() }
        context.run()
        #expect(context.timerCount == 1)
        token.cancel()
        #expect(delayed.isCancelled)
    }

    /// Cancels a token in a callback, which goes on until the future has ended.
    private func cancelInCallback(
        _ token: CancelToken, until page: Future<Int>, _ step: @escaping @Sendable () -> Void
    ) async {
        await onThread {
            Future(value: ()).onSuccess(context: immediate) {
                token.cancel()
                let isOver = DispatchSemaphore(value: 0)
                // Another thread, because this one defers what its callback causes.
                DispatchQueue.global().async {
                    step()
                    _ = try? page.wait(timeout: .seconds(5))
                    isOver.signal()
                }
                isOver.wait()
            }
        }
    }

    private func attempt() -> Int {
        attempts.value += 1
        return attempts.value
    }
}

private struct Numbered: Error, Equatable {
    let number: Int
    init(_ number: Int) { self.number = number }
}
