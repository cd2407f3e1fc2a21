import Foundation
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

// Each test waits until the closure is released, and checks only then whether it has run. `CancelMatrixTests` tests that
// a running closure sees the cancellation.

@Suite("Closures that await do not run once they are canceled", .watchdog)
struct DetachedTests {
    @Test(arguments: Step.allCases + [nil], Detaching.allCases)
    func `a scheduled closure that has not begun does not run`(_ step: Step?, _ detaching: Detaching) async {
        for _ in 0..<Stress.rounds(50) {
            let (runs, alive) = (Tally(), Tally())
            let future = await Desk().scheduleAndDetach(step, detaching, runs, Captive(alive))
            // A cancellation in the runtime's handler cancels registrations on another thread.
            if step != nil, detaching != .handler { #expect(future.isCancelled) }
            await until { alive.count == 0 }
            await until { future.isCancelled || future.completed }
            #expect(future.isCancelled == (step != nil))
            #expect(await future.outcome.error is CancellationError)
            #expect(runs.count == 0)
        }
    }

    @Test @MainActor func `a token canceled in a callback stops a closure before the callback returns`() async {
        let (token, runs) = (CancelToken(), Tally())
        // The closure could run now, but the actor is busy here.
        let mapped = Future(value: 1).asyncMap(cancelToken: token) { @MainActor _ in runs.add() }
        let (isCancelled, mayReturn) = (Gate(), Gate())
        Thread {
            Future(value: 1).onSuccess(context: immediate) { _ in
                token.cancel()
                isCancelled.open()
                mayReturn.pass()
            }
        }.start()
        isCancelled.pass()
        for _ in 0..<100 { await Task.yield() }
        #expect(runs.count == 0)
        #expect(mapped.isCancelled)
        mayReturn.open()
    }

    @Test func `asyncFlatMap unsubscribes from its inner future without canceling it`() async {
        let (token, inner) = (CancelToken(), Promise<Int>())
        let derived = Future(value: 1).asyncFlatMap(cancelToken: token) { _ in inner.future }
        await until { inner.future.observerCount == 1 }
        token.cancel()
        #expect(derived.isCancelled && inner.future.observerCount == 0)
        #expect(inner.trySuccess(1))
        #expect(token.registrationCount == 0)
    }

    @Test(arguments: [false, true])
    func `asyncFlatMap unsubscribes from its inner streams without canceling them`(hasFinished: Bool) async {
        let (token, alive, elements, cancelled) = (CancelToken(), Tally(), Tally(), AsyncGate())
        let (source, inner) = (StreamPromise<Int>(capacity: 0), StreamPromise<Int>(capacity: 0))
        let derived = source.stream.asyncFlatMap(cancelToken: token) { [captive = Captive(alive)] _ in
            captive.touch()
            return inner.stream
        }
        derived.onComplete(context: immediate) { _ in elements.add() }
        derived.onCancel(context: immediate) { cancelled.open() }
        source.success(1)
        await until { inner.stream.core.subscriberCount == 1 }
        if hasFinished {
            source.finish()
            // The loop has ended, the inner stream has not.
            await until { alive.count == 0 }
        }
        inner.success(1)
        // The thread of the closure may still be at work on the stream; then it also delivers these two.
        await until { elements.count == 1 }
        token.cancel()
        await cancelled.pass()
        inner.success(2)
        #expect(elements.count == 1)
        #expect(inner.stream.core.subscriberCount == 0 && token.registrationCount == 0)
    }

    @Test(arguments: StreamStep.allCases)
    func `a canceled stream gets no further element and no failure`(_ step: StreamStep) async {
        for round in 0..<Stress.rounds(500) {
            let (token, alive, elements, runs) = (CancelToken(), Tally(), Tally(), Tally())
            let source = StreamPromise<Int>(capacity: 0)
            step.make(from: source.stream, under: token, counting: elements) { [captive = Captive(alive)] in
                captive.touch()
                runs.add()
            }
            let isIdle = round.isMultiple(of: 3)
            let seen = step == .forEach || isIdle ? 0 : 1
            if !isIdle {
                // Makes the loop wait for the next element.
                step.emit(1, into: source)
                await until { runs.count == 1 && elements.count == seen }
            }
            if round.isMultiple(of: 2) { for _ in 0..<10 { await Task.yield() } }
            token.cancel()
            await until { alive.count == 0 }
            if elements.count > seen || runs.count > (isIdle ? 0 : 1) {
                Issue.record("\(elements.count) elements, \(runs.count) calls")
                break
            }
        }
    }

    @Test(arguments: StreamStep.allCases, StreamCancelling.allCases)
    func `waiting elements are dropped with the stream, and the running closure sees the cancellation`(
        _ step: StreamStep, _ cancelling: StreamCancelling
    ) async {
        let (token, alive, elements) = (CancelToken(), Tally(), Tally())
        let (runs, gate, sawIt) = (Tally(), AsyncGate(), Tally())
        let source = StreamPromise<Int>(capacity: 3)
        for number in 0..<3 { step.emit(number, into: source) }
        if cancelling == .tokenAfterFinish { source.finish() }
        let isCancelled = step.make(from: source.stream, under: token, counting: elements) {
            [captive = Captive(alive)] in
            captive.touch()
            runs.add()
            await Task { await gate.pass() }.value
            if Task.isCancelled { sawIt.add() }
        }
        await until { runs.count == 1 }
        if cancelling == .stream { #expect(source.stream.cancel(token)) } else { token.cancel() }
        #expect(isCancelled.result != nil)
        gate.open()
        await until { alive.count == 0 }
        #expect(runs.count == 1 && sawIt.count == 1)
        #expect(elements.count == 0)
        await until { token.registrationCount == 0 }
    }

    @Test(arguments: StreamStep.allCases)
    func `a loop whose token is canceled begins no call, even before the registrations are canceled`(
        _ step: StreamStep
    ) async {
        let (token, alive, runs, gate) = (CancelToken(), Tally(), Tally(), AsyncGate())
        let source = StreamPromise<Int>(capacity: 2)
        for number in 0..<2 { step.emit(number, into: source) }
        step.make(from: source.stream, under: token, counting: Tally()) { [captive = Captive(alive)] in
            captive.touch()
            runs.add()
            await gate.pass()
        }
        await until { runs.count == 1 }
        // A cancellation in the runtime's handler cancels registrations later, on another thread.
        let cancelRegistrations = Box<(@Sendable () -> Void)?>(nil)
        token.cancel { cancelRegistrations.value = $0 }
        gate.open()
        await until { alive.count == 0 || runs.count > 1 }
        #expect(runs.count == 1)
        cancelRegistrations.value?()
    }

    @Test func `asyncMap calls its closure like map, even if its future was canceled by another one`() async {
        let (source, token, calls) = (Future<Int>(), CancelToken(), Tally())
        let other = source.map(cancelToken: token) { $0 }
        let futures = [source.map(context: immediate) { calls.add($0) }, source.asyncMap { calls.add($0) }]
        for future in futures { future.completeWith(future: other.asVoid()) }
        token.cancel()
        #expect(futures.allSatisfy { $0.isCancelled })
        source.success(1)
        await until { calls.count == 2 }
    }

    @Test func `a derived stream without subscribers leaves its source even while its closure runs`() async {
        let (source, token, runs, gate) = (StreamPromise<Int>(capacity: 0), CancelToken(), Tally(), AsyncGate())
        source.stream.asyncMap { _ in
            runs.add()
            await Task { await gate.pass() }.value
        }.onSuccess(context: immediate, cancelToken: token) { _ in }
        source.success(1)
        await until { runs.count == 1 }
        #expect(source.stream.core.subscriberCount == 1)
        token.cancel()
        await until { source.stream.core.subscriberCount == 0 }
        gate.open()
    }
}

enum StreamCancelling: CaseIterable, Sendable {
    /// With `stream.cancel(token)`, which is possible only before the stream has finished.
    case stream
    case token, tokenAfterFinish
}

enum Detaching: CaseIterable, Sendable {
    case token, callback, handler

    func detach(_ token: CancelToken) {
        switch self {
        case .token: token.cancel()
        case .callback: Future(value: ()).onSuccess(context: immediate) { token.cancel() }
        case .handler: token.cancelFromHandler()
        }
    }
}

/// An actor that is blocked until a call of it returns.
private actor Desk {
    /// Without a step: the future of a closure.
    func scheduleAndDetach(_ step: Step?, _ detaching: Detaching, _ runs: Tally, _ captive: Captive) -> Future<Void> {
        let (source, token) = (Promise<Int>(), CancelToken())
        // Closures of the actor, unlike those of `Step.make`.
        let future: Future<Void>
        switch step {
        case .map: future = source.future.asyncMap(cancelToken: token) { _ in self.run(runs, captive) }
        case .flatMap:
            future = source.future.asyncFlatMap(cancelToken: token) { _ in
                self.run(runs, captive)
                return Future(value: ())
            }
        case .recover:
            future = source.future.asyncRecover(cancelToken: token) { _ in
                self.run(runs, captive)
                return 1
            }.asVoid()
        case .forEach: future = source.future.asyncForEach(cancelToken: token) { _ in self.run(runs, captive) }
        case nil: future = Future(cancelToken: token) { self.run(runs, captive) }
        }
        step?.complete(source)
        detaching.detach(token)
        return future
    }

    private func run(_ runs: Tally, _ captive: Captive) {
        captive.touch()
        runs.add()
    }
}
