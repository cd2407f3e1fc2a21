import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Awaiting a future, in every state of the future and of the task", .watchdog)
struct AwaitMatrixTests {
    @Test(arguments: Ending.allCases, Way.allCases)
    func `what has ended answers, in a cancelled task too`(_ ending: Ending, _ way: Way) async {
        let source = Source()
        source.end(ending)
        #expect(await way.answer(source.future) == ending.answer)
        let inCancelled = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await way.answer(source.future)
        }.value
        #expect(inCancelled == ending.answer)
        #expect(source.future.observerCount == 0)
    }

    @Test(arguments: Ending.allCases, Way.allCases)
    func `what is pending answers when it ends`(_ ending: Ending, _ way: Way) async {
        let source = Source()
        let task = Task { await way.answer(source.future) }
        await until { source.future.observerCount == 1 }
        source.end(ending)
        #expect(await task.value == ending.answer)
        #expect(source.future.observerCount == 0)
    }

    @Test(arguments: Way.allCases)
    func `a task that was cancelled before does not wait`(_ way: Way) async {
        let source = Source()
        let answer = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await way.answer(source.future)
        }.value
        #expect(answer == .cancellation)
        #expect(source.future.observerCount == 0)
        #expect(!source.future.completed && !source.future.isCancelled)
    }

    @Test(arguments: Ending.allCases, Way.allCases)
    func `a task that is cancelled while it waits leaves future and other waiters alone`(
        _ ending: Ending, _ way: Way
    ) async {
        let source = Source()
        let others = (0..<3).map { _ in Task { await way.answer(source.future) } }
        await until { source.future.observerCount == 3 }
        let task = Task { await way.answer(source.future) }
        await until { source.future.observerCount == 4 }
        task.cancel()
        #expect(await task.value == .cancellation)
        #expect(source.future.observerCount == 3)
        source.end(ending)
        for other in others { #expect(await other.value == ending.answer) }
    }

    @Test(arguments: Ending.allCases, Way.allCases)
    func `if cancellation and the end race, the answer is one of the two`(_ ending: Ending, _ way: Way) async {
        for round in 0..<Stress.rounds(200) {
            let source = Source()
            let task = Task { await way.answer(source.future) }
            if round.isMultiple(of: 2) { await until { source.future.observerCount == 1 } }
            let canceller = Task.detached { task.cancel() }
            source.end(ending)
            let answer = await task.value
            await canceller.value
            if answer != ending.answer, answer != .cancellation { Issue.record("\(answer)") }
            if source.future.observerCount != 0 { Issue.record("a registration is left") }
        }
    }

    @Test func `a hundred thousand waiters on one future are all answered`() async {
        let source = Source()
        let count = 100_000
        let sum = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<count { group.addTask { (try? await source.future.value) ?? 0 } }
            group.addTask {
                await until { source.future.observerCount == count }
                source.end(.completed)
                return 0
            }
            return await group.reduce(0, +)
        }
        #expect(sum == count)
    }

    @Test func `half of a great many waiters are cancelled while the future completes`() async {
        let source = Source()
        let tasks = (0..<2_000).map { _ in Task { await Way.value.answer(source.future) } }
        await until { source.future.observerCount == tasks.count }
        let canceller = Task.detached { for index in stride(from: 0, to: tasks.count, by: 2) { tasks[index].cancel() } }
        source.end(.completed)
        await canceller.value
        for (index, task) in tasks.enumerated() {
            let answer = await task.value
            if answer != .value(1), answer != .cancellation || !index.isMultiple(of: 2) { Issue.record("\(answer)") }
        }
        #expect(source.future.observerCount == 0)
    }

    @Test func `a promise that is dropped while a task waits breaks the wait`() async {
        let task: Task<Answer, Never>
        do {
            let promise = Promise<Int>()
            let future = promise.future
            task = Task { await Answer { try await future.value } }
            await until { future.observerCount == 1 }
        }
        #expect(await task.value == .broken)
    }
}

/// The ways to await that answer at once when their task is cancelled.
enum Way: String, CaseIterable, Sendable {
    case value, outcome, abandon

    func answer(_ future: Future<Int>) async -> Answer {
        switch self {
        case .value: await Answer { try await future.value }
        case .outcome:
            await Answer {
                let outcome = await future.outcome
                return try outcome.get()
            }
        case .abandon: await Answer { try await future.value(cancelling: CancelToken(), onCancel: .abandon) }
        }
    }
}
