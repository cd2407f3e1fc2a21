import Foundation
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

// `RoundTripTests` tests which value and error each shape passes on.

@Suite("callback(…): exactly once, on its context, never inside the call", .watchdog)
struct CallbackTests {
    @Test(arguments: Shape.allCases)
    func `the handler runs once, even if a cancellation races, and all is released`(_ shape: Shape) async {
        for round in 0..<Stress.rounds(500) {
            let body = Body.allCases[round % Body.allCases.count]
            let cancels = round % 4 != 3
            let (calls, bodies, alive) = (Tally(), Tally(), Tally())
            let (done, gate) = (Promise<(any Error)?>(), Promise<Void>())
            let token: CancelToken
            do {
                let (ofClosure, ofBlock) = (Captive(alive), Captive(alive))
                token = shape.call(on: immediate) {
                    ofClosure.touch()
                    bodies.add()
                    try await body.run(gate.future)
                    return 1
                } _: { result in
                    ofBlock.touch()
                    calls.add()
                    done.trySuccess(result.error)
                }
            }
            await withTaskGroup { group in
                if cancels { group.addTask { token.cancel() } }
                if !cancels || round % 4 != 2 { group.addTask { gate.success() } }
            }
            let error = await done.future.outcome.value ?? Oops.other
            #expect(error == nil || error is CancellationError || shape == .typedResult)
            if bodies.count > 1 || (shape.mustRun || !cancels) && bodies.count != 1 {
                Issue.record("it ran \(bodies.count) times")
            }
            if bodies.count == 0 { #expect(error is CancellationError) }
            if !cancels, body != .throwsCancellation { #expect(error == nil) }
            await until { alive.count == 0 && token.registrationCount == 0 }
            #expect(token.isCancelled == cancels)
            // A later cancellation does not call it again. A second call would have happened while `until` waits.
            token.cancel()
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
            for body in [Body.atOnce, .throwsCancellation] {
                for isCancelled in [false, true] {
                    let place = Promise<Bool>()
                    inside.call {
                        let token = shape.call(on: context) {
                            try await body.run(Future())
                            return 1
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
            let (inside, hasEnded, place) = (Inside(), Tally(), Promise<Bool>())
            queue.async {
                inside.call {
                    _ = shape.call(on: SlowContext(hasEnded)) {
                        hasEnded.add()
                        return 1
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
            return ImmediateContext()._route
        }

        func execute(_ task: @escaping @Sendable () -> Void) { task() }
    }

    @Test(arguments: Shape.allCases.filter { $0 != .actor })
    func `a waiting context holds the completion handler until it runs it`(_ shape: Shape) async {
        let (manual, alive, calls) = (ManualContext(), Tally(), Tally())
        for isCancelled in [false, true] {
            do {
                let captive = Captive(alive)
                let token = shape.call(on: manual) {
                    1
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

    @Test func `a closure canceled before it begins runs only if the handler has no parameter for an error`() async {
        let (wrongRuns, runs) = (Tally(), Tally())
        let answers = (0..<7).map { _ in Promise<(any Error)?>() }
        await Desk().cancelBeforeTheClosures(wrongRuns, runs, answers)
        for (index, answer) in answers.enumerated() {
            let error = await answer.future.outcome.value ?? Oops.other
            #expect(index < 4 ? error is CancellationError : error == nil)
        }
        #expect(wrongRuns.count == 0 && runs.count == 3)
    }
}

/// An actor that is blocked until a call of it returns.
private actor Desk {
    func cancelBeforeTheClosures(_ wrongRuns: Tally, _ runs: Tally, _ answers: [Promise<(any Error)?>]) {
        callback({ (_: Int?, error: (any Error)?) in answers[0].success(error) }, context: immediate) {
            self.run(wrongRuns)
        }.cancel()
        callback({ (error: (any Error)?) in answers[1].success(error) }, context: immediate) {
            _ = self.run(wrongRuns)
        }.cancel()
        callback({ (result: Result<Int, any Error>) in answers[2].success(Try(result).error) }, context: immediate) {
            self.run(wrongRuns)
        }.cancel()
        callback({ (_: Int?, _: Int?, error: (any Error)?) in answers[3].success(error) }, context: immediate) {
            (self.run(wrongRuns), 1)
        }.cancel()
        callback({ (_: Int) in answers[4].success(nil) }, context: immediate) { self.run(runs) }.cancel()
        callback({ () in answers[5].success(nil) }, context: immediate) { _ = self.run(runs) }.cancel()
        callback({ (_: Result<Int, Failure>) in answers[6].success(nil) }, context: immediate) {
            () async throws(Failure) in self.run(runs)
        }.cancel()
    }

    private func run(_ runs: Tally) -> Int {
        #expect(Task.isCancelled)
        runs.add()
        return 1
    }
}

enum Body: String, CaseIterable, Sendable {
    case atOnce, yields, waits, throwsCancellation, ignoresCancellation

    func run(_ gate: Future<Void>) async throws {
        switch self {
        case .atOnce: break
        case .yields: await Task.yield()
        case .waits: try await gate.value
        case .throwsCancellation: throw CancellationError()
        case .ignoresCancellation: _ = await gate.outcome
        }
    }
}
