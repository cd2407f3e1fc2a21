import Foundation
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("callback(…): exactly once, on its context, never inside the call", .watchdog)
struct CallbackTests {
    private let context = immediate

    @Test func `every shape gets value and error, even if the token is dropped`() async {
        for fails in [false, true] {
            @Sendable func work() async throws -> Int {
                await Task.yield()
                // Dropping the token does not cancel the task.
                #expect(!Task.isCancelled)
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

    @Test func `the token cancels the task, and the completion handler gets the closure's result`() async {
        let gate = Future<Int>()
        let answers = Box<[String]>([])
        let done = AsyncGate()
        let token = callback(
            { (value: Int?, error: (any Error)?) in
                answers.append("\(value, error)")
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

    @Test(arguments: Shape.allCases)
    func `the completion handler runs exactly once, even if the cancellation races`(_ shape: Shape) async {
        for round in 0..<Stress.rounds(2_000) {
            let (calls, bodies) = (Tally(), Tally())
            let done = Promise<(any Error)?>()
            let gate = Promise<Void>()
            let body = Body.allCases[round % Body.allCases.count]
            let token = shape.call(on: immediate) {
                bodies.add()
                try await body.run(gate.future)
            } _: { error in
                calls.add()
                done.trySuccess(error)
            }
            await withTaskGroup { group in
                group.addTask { token.cancel() }
                group.addTask { gate.success() }
            }
            let error = await done.future.outcome.value ?? Failure()
            #expect(error == nil || error is CancellationError || shape == .typedResult)
            if bodies.count > 1 || shape.mustRun && bodies.count != 1 { Issue.record("it ran \(bodies.count) times") }
            if bodies.count == 0 { #expect(error is CancellationError) }
            // A second call would have happened while `until` waits.
            await until { token.registrationCount == 0 }
            #expect(calls.count == 1)
        }
    }

    @Test(arguments: Shape.allCases) @MainActor
    func `it does not run inside the call, whatever the context`(_ shape: Shape) async {
        let inside = Inside()
        let contexts: [any ExecutionContext] = [
            immediate, QueueContext.mainImmediate, QueueContext.main, MaxStackDepthContext(), QueueContext.global,
        ]
        for context in contexts {
            for body in [Body.atOnce, .fails, .throwsCancellation] {
                for isCancelled in [false, true] {
                    let place = Promise<Bool>()
                    inside.call {
                        let token = shape.call(on: context) {
                            try await body.run(Future())
                        } _: { _ in
                            place.success(inside.isHere)
                        }
                        if isCancelled { token.cancel() }
                    }
                    #expect(await place.future.outcome.value == false, "\(type(of: context)), \(body)")
                }
            }
        }
    }

    @Test(arguments: Shape.allCases)
    func `it does not run inside the call even if the closure has ended`(_ shape: Shape) async {
        // On a separate thread, so that the closure can run on any other thread in the meantime.
        let queue = DispatchQueue(label: "caller")
        for _ in 0..<Stress.rounds(5) {
            let (inside, hasEnded) = (Inside(), Tally())
            let place = Promise<Bool>()
            queue.async {
                inside.call {
                    _ = shape.call(on: SlowContext(hasEnded)) {
                        hasEnded.add()
                    } _: { _ in
                        place.success(inside.isHere)
                    }
                }
            }
            guard await place.future.outcome.value != false else { continue }
            Issue.record("it has run inside the call")
            break
        }
    }

    /// An immediate context that delays the call by returning its route late.
    private struct SlowContext: ExecutionContext {
        private let hasEnded: Tally

        init(_ hasEnded: Tally) { self.hasEnded = hasEnded }

        var _route: _Route {
            for _ in 0..<1_000 where hasEnded.count == 0 { sched_yield() }
            // Leaves time for the effects of the end.
            if hasEnded.count > 0 { for _ in 0..<1_000 { sched_yield() } }
            return immediate._route
        }

        func execute(_ task: @escaping @Sendable () -> Void) { task() }
    }

    @Test func `a completion handler isolated to the main actor runs there, whatever the context`() async {
        let inside = Inside()
        for body in [Body.atOnce, .fails, .throwsCancellation] {
            let place = Promise<Bool>()
            await MainActor.run {
                inside.call {
                    _ = callback(
                        { @MainActor (_: Int?, _: (any Error)?) in
                            MainActor.assertIsolated()
                            place.success(inside.isHere)
                        }, context: immediate
                    ) { @MainActor in
                        try await body.run(Future())
                        return 1
                    }
                }
            }
            #expect(await place.future.outcome.value == false)
        }
    }

    @Test(arguments: Shape.allCases.filter { $0 != .actor })
    func `a waiting context holds the completion handler until it runs it`(_ shape: Shape) async {
        let (manual, alive, calls) = (ManualContext(), Tally(), Tally())
        for isCancelled in [false, true] {
            do {
                let captive = Captive(alive)
                let token = shape.call(on: manual) {
                } _: { _ in
                    captive.touch()
                    calls.add()
                }
                await until { manual.pendingCount == 1 }
                if isCancelled { token.cancel() }
            }
            #expect(calls.count == (isCancelled ? 1 : 0))
            #expect(alive.count == 1)
            #expect(manual.run() == 1)
            #expect(calls.count == (isCancelled ? 2 : 1))
            await until { alive.count == 0 }
        }
    }

    @Test(arguments: Shape.allCases, Body.allCases)
    func `completion handler and closure are released afterwards, even if the token is kept`(
        _ shape: Shape, _ body: Body
    ) async {
        for isCancelled in [false, true] {
            let (blocks, closures, calls) = (Tally(), Tally(), Tally())
            let (done, gate) = (Promise<Void>(), Promise<Void>())
            let token: CancelToken
            do {
                let (ofBlock, ofClosure) = (Captive(blocks), Captive(closures))
                token = shape.call(on: immediate) {
                    ofClosure.touch()
                    try await body.run(gate.future)
                } _: { _ in
                    ofBlock.touch()
                    calls.add()
                    done.trySuccess()
                }
            }
            if isCancelled { token.cancel() } else { gate.success() }
            _ = await done.future.outcome
            await until { blocks.count == 0 && closures.count == 0 }
            await until { token.registrationCount == 0 }
            #expect(token.isCancelled == isCancelled)
            // A later cancellation does not call it again.
            token.cancel()
            #expect(calls.count == 1)
        }
    }

    @Test func `a closure that has not begun when it is canceled does not run`() async {
        let runs = Tally()
        let answers = (0..<4).map { _ in Promise<(any Error)?>() }
        await Desk().cancelBeforeTheClosure(runs, answers)
        for answer in answers { #expect(await answer.future.outcome.value.flatMap { $0 } is CancellationError) }
        #expect(runs.count == 0)
    }

    @Test func `a closure that has not begun still runs if the handler has no parameter for an error`() async {
        let (runs, calls) = (Tally(), Tally())
        let all = (0..<3).map { _ in Promise<Void>() }
        await Desk().cancelBeforeTheClosureThatMustRun(
            runs,
            all.map { one in
                {
                    calls.add(); one.success()
                }
            })
        for one in all { _ = await one.future.outcome }
        #expect(runs.count == 3)
        #expect(calls.count == 3)
    }
}

/// An actor that is blocked until a call of it returns.
private actor Desk {
    func cancelBeforeTheClosure(_ runs: Tally, _ answers: [Promise<(any Error)?>]) {
        callback({ (_: Int?, error: (any Error)?) in answers[0].success(error) }, context: immediate) { self.run(runs) }
            .cancel()
        callback({ (error: (any Error)?) in answers[1].success(error) }, context: immediate) { _ = self.run(runs) }
            .cancel()
        callback(
            { (result: Result<Int, any Error>) in answers[2].success(result.error) }, context: immediate
        ) { self.run(runs) }.cancel()
        callback(
            { (_: Int?, _: Int?, error: (any Error)?) in answers[3].success(error) }, context: immediate
        ) { (self.run(runs), 1) }.cancel()
    }

    func cancelBeforeTheClosureThatMustRun(_ runs: Tally, _ blocks: [@Sendable () -> Void]) {
        callback({ (_: Int) in blocks[0]() }, context: immediate) { self.runCancelled(runs) }.cancel()
        callback({ () in blocks[1]() }, context: immediate) { _ = self.runCancelled(runs) }.cancel()
        callback({ (_: Result<Int, Failure>) in blocks[2]() }, context: immediate) {
            () async throws(Failure) in self.runCancelled(runs)
        }.cancel()
    }

    private func run(_ runs: Tally) -> Int {
        runs.add()
        return 1
    }

    private func runCancelled(_ runs: Tally) -> Int {
        #expect(Task.isCancelled)
        return run(runs)
    }
}

/// The body of a callback's closure.
enum Body: String, CaseIterable, Sendable {
    case atOnce, yields, waits, fails, throwsCancellation, ignoresCancellation

    func run(_ gate: Future<Void>) async throws {
        switch self {
        case .atOnce: break
        case .yields: await Task.yield()
        case .waits: try await gate.value
        case .fails, .throwsCancellation: throw CancellationError()
        case .ignoresCancellation: _ = await gate.outcome
        }
    }
}

extension DefaultStringInterpolation {
    fileprivate mutating func appendInterpolation(_ value: Int?, _ error: (any Error)?) {
        appendLiteral("\(value.map { "\($0)" } ?? "nil") \(error.map { "\(type(of: $0))" } ?? "nil")")
    }
}
