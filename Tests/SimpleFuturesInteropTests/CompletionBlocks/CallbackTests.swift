import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("callback(…)", .watchdog)
struct CallbackTests {
    private let context = ImmediateContext()

    @Test func `every shape gets value and error`() async {
        for fails in [false, true] {
            @Sendable func work() async throws -> Int {
                await Task.yield()
                if fails { throw Failure() }
                return 1
            }
            let optional = Future<String>()
            callback({ (value: Int?, error: (any Error)?) in optional.success("\(value, error)") }, context: context) {
                try await work()
            }
            #expect(await optional.outcome.value == (fails ? "nil Failure" : "1 nil"))
            let errorOnly = Future<String>()
            callback({ (error: (any Error)?) in errorOnly.success("\(nil as Int?, error)") }, context: context) {
                _ = try await work()
            }
            #expect(await errorOnly.outcome.value == (fails ? "nil Failure" : "nil nil"))
            let result = Future<String>()
            callback(
                { (answer: Result<Int, any Error>) in result.success("\(Try(answer).value, Try(answer).error)") },
                context: context
            ) { try await work() }
            #expect(await result.outcome.value == (fails ? "nil Failure" : "1 nil"))
            let typed = Future<String>()
            callback(
                { (answer: Result<Int, Failure>) in typed.success("\(Try(answer).value, Try(answer).error)") },
                context: context
            ) { () async throws(Failure) in
                if fails { throw Failure() }
                return 1
            }
            #expect(await typed.outcome.value == (fails ? "nil Failure" : "1 nil"))
            let two = Future<String>()
            callback(
                { (a: Int?, b: String?, error: (any Error)?) in two.success("\(a, error) \(b ?? "-")") },
                context: context
            ) { (try await work(), "b") }
            #expect(await two.outcome.value == (fails ? "nil Failure -" : "1 nil b"))
        }
        let plain = Future<Int>()
        callback({ (value: Int) in plain.success(value) }, context: context) {
            await Task.yield(); return 2
        }
        #expect(await plain.outcome.value == 2)
        let empty = Future<Void>()
        callback({ () -> Void in empty.success() }, context: context) { await Task.yield() }
        #expect(await empty.outcome.isSuccess())
    }

    @Test @MainActor func `never on the caller's stack, whatever the context`() async {
        for context in [ImmediateContext(), QueueContext.mainImmediate, QueueContext.main] as [any ExecutionContext] {
            let done = Future<Bool>()
            let isInside = Box(true)
            callback({ (_: Int?, _: (any Error)?) in done.success(isInside.value) }, context: context) { 1 }
            isInside.value = false
            #expect(await done.outcome.value == false)
        }
    }

    @Test func `a completion block of an actor runs there, others on the context`() async {
        let onMain = Future<Void>()
        callback(
            { @MainActor (_: Int?, _: (any Error)?) in
                MainActor.assertIsolated()
                onMain.success()
            }, context: context
        ) { 1 }
        #expect(await onMain.outcome.isSuccess())
        let queue = DispatchQueue(label: "callback")
        let onQueue = Future<Void>()
        callback(
            { (_: Int) in
                dispatchPrecondition(condition: .onQueue(queue))
                onQueue.success()
            }, context: queue
        ) { 1 }
        #expect(await onQueue.outcome.isSuccess())
        let clock = ManualContext()
        let byHand = Future<Int>()
        callback({ (value: Int) in byHand.success(value) }, context: clock) { 1 }
        await until { clock.pendingCount == 1 }
        #expect(!byHand.completed)
        clock.run()
        #expect(byHand.result?.value == 1)
    }

    @Test func `the token cancels the task: the block gets what the closure makes of it`() async {
        let gate = Future<Int>()
        let answers = Box<[String]>([])
        let done = AsyncGate()
        let token = callback(
            { (value: Int?, error: (any Error)?) in
                answers.change { $0.append("\(value, error)") }
                done.open()
            }, context: context
        ) { try await gate.value }
        await until { gate.observerCount == 1 }
        token.cancel()
        await done.pass()
        #expect(answers.value == ["nil CancellationError"])
        token.cancel()
        gate.success(1)
        #expect(answers.value.count == 1)
        #expect(token.registrationCount == 0)
    }

    @Test @MainActor
    func `cancelled before it begins: the closure does not run, unless the block has no place for the error`() async {
        let answer = Future<String>()
        callback({ (value: Int?, error: (any Error)?) in answer.success("\(value, error)") }, context: context) {
            @MainActor in
            Issue.record("runs")
            return 1
        }.cancel()
        #expect(await answer.outcome.value == "nil CancellationError")
        let plain = Future<Int>()
        callback({ (value: Int) in plain.success(value) }, context: context) { @MainActor in Task.isCancelled ? 5 : 6 }
            .cancel()
        #expect(await plain.outcome.value == 5)
        let typed = Future<Result<Int, Failure>>()
        callback({ (result: Result<Int, Failure>) in typed.success(result) }, context: context) {
            @MainActor () async throws(Failure) in
            throw Failure()
        }.cancel()
        #expect(await typed.outcome.value == .failure(Failure()))
    }

    @Test func `block and closure are released when they have run; dropping the token cancels nothing`() async {
        weak var ofBlock: Counted?
        weak var ofClosure: Counted?
        let gate = Future<Int>()
        let done = AsyncGate()
        do {
            let (first, second) = (Counted(), Counted())
            (ofBlock, ofClosure) = (first, second)
            callback(
                { (_: Int) in
                    withExtendedLifetime(first) {}
                    done.open()
                }, context: context
            ) {
                withExtendedLifetime(second) {}; return await gate.outcome.value ?? 0
            }
        }
        await until { gate.observerCount == 1 }
        #expect(ofBlock != nil)
        gate.success(1)
        await done.pass()
        await until { ofBlock == nil && ofClosure == nil }
    }
}

extension DefaultStringInterpolation {
    fileprivate mutating func appendInterpolation(_ value: Int?, _ error: (any Error)?) {
        appendLiteral("\(value.map { "\($0)" } ?? "nil") \(error.map { "\(type(of: $0))" } ?? "nil")")
    }
}
