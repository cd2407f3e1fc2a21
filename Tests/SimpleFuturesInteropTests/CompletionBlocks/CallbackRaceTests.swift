import Foundation
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("callback(…): exactly once, on its context, never inside the call", .watchdog)
struct CallbackRaceTests {
    @Test(arguments: Shape.allCases)
    func `the block runs once, whatever the cancellation races with`(_ shape: Shape) async {
        for round in 0..<Stress.rounds(2_000) {
            let (calls, bodies) = (Tally(), Tally())
            let done = Promise<(any Error)?>()
            let gate = Promise<Void>()
            let body = Body.allCases[round % Body.allCases.count]
            let token = shape.call(on: ImmediateContext()) {
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
            // Who would call it again has had the time that `until` takes.
            await until { token.registrationCount == 0 }
            #expect(calls.count == 1)
        }
    }

    @Test(arguments: Shape.allCases)
    func `a block that was called is not called by a later cancellation`(_ shape: Shape) async {
        for _ in 0..<Stress.rounds(200) {
            let calls = Tally()
            let done = Promise<Void>()
            let token = shape.call(on: ImmediateContext()) {
            } _: { _ in
                calls.add()
                done.trySuccess()
            }
            _ = await done.future.outcome
            await withTaskGroup { group in for _ in 0..<2 { group.addTask { token.cancel() } } }
            #expect(calls.count == 1)
        }
    }

    @Test(arguments: Shape.allCases)
    func `it does not run inside the call, whatever the context`(_ shape: Shape) async {
        let inside = Inside()
        let contexts: [any ExecutionContext] = [
            ImmediateContext(), QueueContext.mainImmediate, MaxStackDepthContext(), QueueContext.global,
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
    func `it does not run inside the call, if there was time for the closure to end`(_ shape: Shape) async {
        // On a thread of its own, so that all others can run the closure meanwhile.
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

    /// An immediate context that takes its time to be asked where it runs callbacks.
    private struct SlowContext: ExecutionContext {
        private let hasEnded: Tally

        init(_ hasEnded: Tally) { self.hasEnded = hasEnded }

        var _route: _Route {
            for _ in 0..<1_000 where hasEnded.count == 0 { sched_yield() }
            // For what follows the end.
            if hasEnded.count > 0 { for _ in 0..<1_000 { sched_yield() } }
            return ImmediateContext()._route
        }

        func execute(_ task: @escaping @Sendable () -> Void) { task() }
    }

    @Test(arguments: Shape.allCases.filter { $0 != .actor })
    func `it runs on its context`(_ shape: Shape) async {
        let key = DispatchSpecificKey<Int>()
        let queue = DispatchQueue(label: "callbacks")
        queue.setSpecific(key: key, value: 1)
        let isThere = Promise<Bool>()
        _ = shape.call(on: queue) {
        } _: { _ in
            isThere.success(DispatchQueue.getSpecific(key: key) == 1)
        }
        #expect(await isThere.future.outcome.value == true)
    }

    @Test func `a block of the main actor runs there, whatever the context`() async {
        let inside = Inside()
        for body in [Body.atOnce, .fails, .throwsCancellation] {
            let place = Promise<Bool>()
            await MainActor.run {
                inside.call {
                    _ = callback(
                        { @MainActor (_: Int?, _: (any Error)?) in
                            MainActor.assertIsolated()
                            place.success(inside.isHere)
                        }, context: ImmediateContext()
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
    func `a context that waits has the block until it is let go`(_ shape: Shape) async {
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
    func `block and closure are released afterwards, though the token is kept`(_ shape: Shape, _ body: Body) async {
        for isCancelled in [false, true] {
            let (blocks, closures) = (Tally(), Tally())
            let (done, gate) = (Promise<Void>(), Promise<Void>())
            let token: CancelToken
            do {
                let (ofBlock, ofClosure) = (Captive(blocks), Captive(closures))
                token = shape.call(on: ImmediateContext()) {
                    ofClosure.touch()
                    try await body.run(gate.future)
                } _: { _ in
                    ofBlock.touch()
                    done.success()
                }
            }
            if isCancelled { token.cancel() } else { gate.success() }
            _ = await done.future.outcome
            await until { blocks.count == 0 && closures.count == 0 }
            await until { token.registrationCount == 0 }
            #expect(token.isCancelled == isCancelled)
        }
    }

    @Test func `a closure that has not begun when it is cancelled does not run`() async {
        let runs = Tally()
        let answers = (0..<4).map { _ in Promise<(any Error)?>() }
        await Desk().cancelBeforeTheClosure(runs, answers)
        for answer in answers { #expect(await answer.future.outcome.value.flatMap { $0 } is CancellationError) }
        #expect(runs.count == 0)
    }

    @Test func `a closure that has not begun runs nevertheless, if the block has no place for an error`() async {
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

/// An actor that does not get round to closures of its own before a call of it returns.
private actor Desk {
    func cancelBeforeTheClosure(_ runs: Tally, _ answers: [Promise<(any Error)?>]) {
        let here = ImmediateContext()
        callback({ (_: Int?, error: (any Error)?) in answers[0].success(error) }, context: here) { self.run(runs) }
            .cancel()
        callback({ (error: (any Error)?) in answers[1].success(error) }, context: here) { _ = self.run(runs) }
            .cancel()
        callback(
            { (result: Result<Int, any Error>) in answers[2].success(result.error) }, context: here
        ) { self.run(runs) }.cancel()
        callback(
            { (_: Int?, _: Int?, error: (any Error)?) in answers[3].success(error) }, context: here
        ) { (self.run(runs), 1) }.cancel()
    }

    func cancelBeforeTheClosureThatMustRun(_ runs: Tally, _ blocks: [@Sendable () -> Void]) {
        let here = ImmediateContext()
        callback({ (_: Int) in blocks[0]() }, context: here) { self.run(runs) }.cancel()
        callback({ () in blocks[1]() }, context: here) { _ = self.run(runs) }.cancel()
        callback({ (_: Result<Int, Failure>) in blocks[2]() }, context: here) {
            () async throws(Failure) in self.run(runs)
        }.cancel()
    }

    private func run(_ runs: Tally) -> Int {
        runs.add()
        return 1
    }
}

/// What the closure of a callback does.
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
