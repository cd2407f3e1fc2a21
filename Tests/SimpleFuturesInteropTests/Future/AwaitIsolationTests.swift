import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Awaiting from an actor", .watchdog)
struct AwaitIsolationTests {
    @Test(arguments: [true, false])
    @MainActor func `on a busy actor the first of value and cancellation counts`(valueIsFirst: Bool) async throws {
        for response in [TaskCancellationResponse.abandon, .wait] {
            let (promise, token) = (Promise<Int>(), CancelToken())
            let task = Task { try await promise.future.value(cancelling: token, onCancel: response) }
            await until { promise.future.observerCount == 1 }
            // The task cannot continue before this is over.
            if valueIsFirst { promise.success(1) }
            task.cancel()
            if !valueIsFirst { promise.success(1) }
            switch await task.result {
            case .success(let value): #expect(value == 1 && (valueIsFirst || response == .wait))
            case .failure(let error): #expect(error is CancellationError && !valueIsFirst && response == .abandon)
            }
            #expect(promise.future.observerCount == 0)
        }
    }

    @Test func `an await returns on the actor that awaits`() async throws {
        #expect(try await Counter().sum() == 12)
    }

    @Test @MainActor func `an await returns on the main actor`() async throws {
        let promise = Promise<Int>()
        let completer = Task.detached {
            await until { promise.future.observerCount == 1 }
            promise.success(3)
        }
        #expect(try await promise.future.value == 3)
        MainActor.assertIsolated()
        #expect(await promise.future.outcome.value == 3)
        MainActor.assertIsolated()
        #expect(try await promise.future.value(cancelling: CancelToken()) == 3)
        MainActor.assertIsolated()
        await completer.value
    }

    @Test @MainActor func `awaiting a completed future does not suspend`() async throws {
        let completed = Future(value: 1)
        var isIntruded = false
        let intruder = Task { @MainActor in isIntruded = true }
        for _ in 0..<1_000 {
            _ = try await completed.value
            _ = await completed.outcome
            _ = try await completed.value(cancelling: CancelToken())
            _ = try await completed.value(cancelling: CancelToken(), onCancel: .abandon)
        }
        #expect(!isIntruded)
        await intruder.value
        #expect(isIntruded)
    }

    @Test @MainActor func `an await that must wait registers before the actor does anything else`() async {
        let promise = Promise<Int>()
        let waiter = Task { @MainActor in try await promise.future.value }
        // After the waiter in the actor's queue.
        let completer = Task { @MainActor in
            let count = promise.future.observerCount
            promise.success(1)
            return count
        }
        #expect(await completer.value == 1)
        _ = await waiter.result
    }

    @Test @MainActor func `a wait on an actor ends with its task, and on the actor`() async {
        let promise = Promise<Int>()
        let waiter = Task { @MainActor in
            let outcome = await promise.future.outcome
            MainActor.assertIsolated()
            return outcome.error is CancellationError
        }
        await until { promise.future.observerCount == 1 }
        waiter.cancel()
        #expect(await waiter.value)
        #expect(promise.future.observerCount == 0)
    }

    @Test @MainActor func `awaiting a canceled future does not suspend`() async {
        let token = CancelToken()
        token.cancel()
        let cancelled = Future(value: 1).map(cancelToken: token) { $0 }
        var isIntruded = false
        let intruder = Task { @MainActor in isIntruded = true }
        for _ in 0..<1_000 { _ = try? await cancelled.value }
        #expect(!isIntruded)
        await intruder.value
    }
}

private actor Counter {
    func sum() async throws -> Int {
        var sum = 0
        for cancels in [false, true] {
            let promise = Promise<Int>()
            let completer = Task.detached {
                await until { promise.future.observerCount == 1 }
                promise.success(3)
            }
            sum += try await promise.future.value
            preconditionIsolated()
            sum += try await promise.future.value(cancelling: CancelToken(), onCancel: cancels ? .abandon : .wait)
            preconditionIsolated()
            await completer.value
        }
        return sum
    }
}
