import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

// What an executor does not run, the runtime keeps for ever: a task cannot be dropped. So nobody learns of it, and what
// depends on it stays pending; a timeout on another context, or a token, ends the wait.

/// An executor that takes jobs as long as it is open, and keeps others for ever.
private final class Executor: TaskExecutor, SerialExecutor {
    private let queue = DispatchQueue(label: "executor")
    private let state = Lock((isOpen: true, refused: [UnownedJob]()))

    var refused: Int { state.withLock { $0.refused.count } }

    func shutDown() { state.withLock { $0.isOpen = false } }

    /// Runs what was refused after all, so that the test leaves nothing behind.
    func reopen() {
        let jobs = state.withLock { state in
            state.isOpen = true
            return state.refused
        }
        for job in jobs { run(job) }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isTaken = state.withLock { state in
            if !state.isOpen { state.refused.append(job) }
            return state.isOpen
        }
        if isTaken { run(job) }
    }

    private func run(_ job: UnownedJob) {
        queue.async {
            job.runSynchronously(isolatedTo: self.asUnownedSerialExecutor(), taskExecutor: self.asUnownedTaskExecutor())
        }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}

private actor Place {
    let executor: Executor

    init(_ executor: Executor) { self.executor = executor }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}

@Suite("Faults: executors that are shut down", .timeLimit(.minutes(10)))
struct StoppedExecutorTests {
    enum Kind: CaseIterable { case task, actor }

    private func context(_ kind: Kind, _ executor: Executor) -> any ExecutionContext {
        kind == .task ? TaskExecutorContext(executor) : ActorContext(Place(executor))
    }

    @Test(arguments: Kind.allCases)
    func `what it was to run stays pending, and can time out or be cancelled`(_ kind: Kind) async {
        let executor = Executor()
        let context = context(kind, executor)
        #expect(await Future(value: 1).map(context: context) { $0 }.outcome.value == 1)
        executor.shutDown()
        let (clock, token) = (ManualContext(), CancelToken())
        let mapped = Future(value: 1).map(context: context) { $0 + 1 }
        let late = mapped.timeout(.seconds(30), context: clock)
        let cancelled = Future(value: 1).map(context: context, cancelToken: token) { $0 }
        await until { executor.refused == 2 }
        clock.advance(by: .seconds(30))
        token.cancel()
        #expect(late.result?.error as? FuturesError == .timedOut)
        #expect(cancelled.isCancelled)
        #expect(mapped.result == nil)
        executor.reopen()
        #expect(await mapped.outcome.value == 2)
        #expect(cancelled.isCancelled)
    }
}
