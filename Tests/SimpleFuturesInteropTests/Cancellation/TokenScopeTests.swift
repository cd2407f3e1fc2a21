import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("withCancelToken, token.run: the scope of a token", .watchdog)
struct TokenScopeTests {
    // MARK: withCancelToken

    @Test func `withCancelToken: the token follows the task`() async {
        for isBefore in [true, false] {
            let (begun, cancelled) = (Promise<Void>(), AsyncGate())
            let task = Task {
                if isBefore { withUnsafeCurrentTask { $0?.cancel() } }
                return await withCancelToken { token in
                    token.onCancel { cancelled.open() }
                    begun.success()
                    await cancelled.pass()
                    await until { token.isCancelled }
                    return token.isCancelled
                }
            }
            _ = await begun.future.outcome
            if !isBefore { task.cancel() }
            await until { task.isCancelled }
            #expect(await task.value)
        }
    }

    @Test func `withCancelToken: after the scope the token goes its own way`() async {
        for fails in [true, false] {
            let task = Task {
                let kept = Lock<CancelToken?>(nil)
                try? await withCancelToken { token in
                    kept.exchange(token)
                    if fails { throw Failure() }
                }
                withUnsafeCurrentTask { $0?.cancel() }
                return kept.exchange(nil)
            }
            let token = await task.value
            #expect(token?.isCancelled == false)
            token?.cancel()
            #expect(token?.isCancelled == true)
        }
    }

    @Test func `withCancelToken: neither way in nor way out leaves the actor`() async {
        // A task of its own: one that prefers an executor leaves the main actor at each call.
        await Task { @MainActor in
            var isIntruded = false
            let intruder = Task { @MainActor in isIntruded = true }
            var count = 0
            for _ in 0..<1_000 {
                await withCancelToken { _ in
                    MainActor.assertIsolated()
                    count += 1
                }
            }
            #expect(!isIntruded)
            #expect(count == 1_000)
            await intruder.value
        }.value
    }

    // MARK: token.run

    @Test func `run: the token cancels the closure, and the closure answers`() async {
        let (token, begun) = (CancelToken(), Promise<Void>())
        let task = Task {
            await Answer {
                try await token.run {
                    begun.success()
                    await until { Task.isCancelled }
                    return 1
                }
            }
        }
        _ = await begun.future.outcome
        token.cancel()
        #expect(await task.value == .value(1))
    }

    @Test func `run: the task cancels the closure, and leaves the token alone`() async {
        let token = CancelToken()
        for way in [token, .none] {
            let begun = Promise<Void>()
            let task = Task {
                await Answer {
                    try await way.run {
                        begun.success()
                        await until { Task.isCancelled }
                        throw Failure()
                    }
                }
            }
            _ = await begun.future.outcome
            task.cancel()
            #expect(await task.value == .failure)
            #expect(!token.isCancelled)
            await until { token.registrationCount == 0 }
        }
    }
}
