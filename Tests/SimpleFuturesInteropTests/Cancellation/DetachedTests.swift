import Foundation
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

// Each test waits until the closure is released, and checks only then whether it has run.

@Suite("Closures that await do not run once they are canceled", .watchdog)
struct DetachedTests {
    // MARK: Futures

    @Test(arguments: Step.allCases)
    func `a scheduled closure that has not begun does not run`(_ step: Step) async {
        for detaching in Detaching.allCases {
            let (runs, alive) = (Tally(), Tally())
            let derived = await Desk().completeAndDetach(step, detaching, runs, Captive(alive))
            // A cancellation in the runtime's handler cancels registrations on another thread.
            if detaching != .handler { #expect(derived.isCancelled) }
            await until { alive.count == 0 }
            await until { derived.isCancelled }
            #expect(runs.count == 0, "\(detaching)")
        }
    }

    @Test @MainActor func `a token canceled in a callback stops closures before the callback returns`()
        async
    {
        let token = CancelToken()
        let runs = Tally()
        let stream = FutureStream<Int>()
        stream.success(1)
        // The closures could run now, but the actor is busy here.
        let mapped = Future(value: 1).asyncMap(cancelToken: token) { @MainActor _ in runs.add() }
        let mappedStream = stream.asyncMap(cancelToken: token) { @MainActor _ in runs.add() }
        let callback = Callback()
        callback.cancel(token)
        for _ in 0..<100 { await Task.yield() }
        #expect(runs.count == 0)
        #expect(mapped.isCancelled)
        callback.goOn()
        await until { mapped.isCancelled && mappedStream.isCancelled }
        for _ in 0..<100 { await Task.yield() }
        #expect(runs.count == 0)
    }

    @Test(arguments: Step.allCases)
    func `a running closure sees that its task is canceled, and its result is dropped`(_ step: Step) async {
        let (source, token, alive) = (Promise<Int>(), CancelToken(), Tally())
        let (begun, gate, sawIt) = (Promise<Void>(), Promise<Void>(), Tally())
        let derived = step.make(from: source.future, under: token) { [captive = Captive(alive)] in
            captive.touch()
            begun.success()
            _ = await Task { await gate.future.outcome }.value
            if Task.isCancelled { sawIt.add() }
        }
        step.complete(source)
        _ = await begun.future.outcome
        token.cancel()
        #expect(derived.isCancelled)
        gate.success()
        await until { alive.count == 0 }
        #expect(sawIt.count == 1)
    }

    @Test func `asyncFlatMap unsubscribes from its inner future without canceling it`() async {
        let (token, inner) = (CancelToken(), Promise<Int>())
        let derived = Future(value: 1).asyncFlatMap(cancelToken: token) { _ in inner.future }
        await until { inner.future.observerCount == 1 }
        token.cancel()
        #expect(derived.isCancelled)
        #expect(inner.future.observerCount == 0)
        #expect(inner.trySuccess(1))
        #expect(token.registrationCount == 0)
    }

    @Test func `asyncFlatMap unsubscribes from its inner streams without canceling them`() async {
        for hasFinished in [false, true] {
            let (token, alive, elements) = (CancelToken(), Tally(), Tally())
            let (source, inner) = (StreamPromise<Int>(capacity: 0), StreamPromise<Int>(capacity: 0))
            let derived = source.stream.asyncFlatMap(cancelToken: token) { [captive = Captive(alive)] _ in
                captive.touch()
                return inner.stream
            }
            let cancelled = Promise<Void>()
            derived.onComplete(context: immediate) { _ in elements.add() }
            derived.onCancel(context: immediate) { cancelled.success() }
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
            await until { cancelled.completed }
            inner.success(2)
            #expect(elements.count == 1)
            #expect(inner.stream.core.subscriberCount == 0)
            #expect(token.registrationCount == 0)
        }
    }

    @Test func `with a canceled token the closure of a future does not run, even inside a callback`() async {
        let (runs, alive, start) = (Tally(), Tally(), Promise<Void>())
        let made = Promise<[Future<Void>]>()
        start.future.onSuccess(context: QueueContext(queue: Queue("callback"))) {
            let token = CancelToken()
            token.cancel()
            let promise = Promise<Void>()
            promise.completeWith(cancelToken: token) { [captive = Captive(alive)] in
                captive.touch()
                runs.add()
            }
            let future = Future(cancelToken: token) { [captive = Captive(alive)] in
                captive.touch()
                runs.add()
            }
            // The handlers of the token run when this returns; the task does not wait for them.
            while alive.count > 0 { sched_yield() }
            made.success([future, promise.future])
        }
        start.success()
        for future in await made.future.outcome.value ?? [] { #expect(await future.outcome.error is CancellationError) }
        #expect(runs.count == 0)
    }

    @Test func `the closure of a future whose token is canceled in the runtime's handler does not run`() async {
        for _ in 0..<Stress.rounds(200) {
            let (runs, token) = (Tally(), CancelToken())
            let future = await Desk().startAndCancelFromHandler(token, runs)
            #expect(await future.outcome.error is CancellationError)
            #expect(runs.count == 0)
        }
    }

    // MARK: Streams

    @Test func `asyncRecover does not handle the cancellation of its stream as a failure`() async {
        let (token, alive, errors) = (CancelToken(), Tally(), Tally())
        let source = StreamPromise<Int>(capacity: 0)
        let end = source.stream.map(context: immediate, cancelToken: token) { $0 }
            .asyncRecover { [captive = Captive(alive)] _ in
                captive.touch()
                errors.add()
                return 1
            }
        source.failure(Failure())
        await until { errors.count == 1 }
        let cancelled = Promise<Void>()
        end.onCancel(context: immediate) { cancelled.success() }
        token.cancel()
        _ = await cancelled.future.outcome
        await until { alive.count == 0 }
        #expect(errors.count == 1)
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
        let (runs, gate, sawIt) = (Tally(), Promise<Void>(), Tally())
        let source = StreamPromise<Int>(capacity: 3)
        for number in 0..<3 { step.emit(number, into: source) }
        if cancelling == .tokenAfterFinish { source.finish() }
        let isCancelled = step.make(from: source.stream, under: token, counting: elements) {
            [captive = Captive(alive)] in
            captive.touch()
            runs.add()
            _ = await Task { await gate.future.outcome }.value
            if Task.isCancelled { sawIt.add() }
        }
        await until { runs.count == 1 }
        if cancelling == .stream { #expect(source.stream.cancel(token)) } else { token.cancel() }
        #expect(isCancelled.result != nil)
        gate.success()
        await until { alive.count == 0 }
        #expect(runs.count == 1)
        #expect(sawIt.count == 1)
        #expect(elements.count == 0)
        await until { token.registrationCount == 0 }
    }
}

/// How a derived stream is canceled.
enum StreamCancelling: CaseIterable, Sendable {
    /// With `stream.cancel(token)`, which is possible only before the stream has finished.
    case stream
    case token, tokenAfterFinish
}

/// How a closure is canceled.
enum Detaching: CaseIterable, Sendable {
    case token, callback, handler

    func detach(_ token: CancelToken) {
        switch self {
        case .token: token.cancel()
        case .callback:
            Future(value: ()).onSuccess(context: immediate) { token.cancel() }
        case .handler: token.cancelFromHandler()
        }
    }
}

/// An actor that is blocked until a call of it returns.
private actor Desk {
    func completeAndDetach(_ step: Step, _ detaching: Detaching, _ runs: Tally, _ captive: Captive) -> Future<Void> {
        let (source, token) = (Promise<Int>(), CancelToken())
        let derived: Future<Void>
        switch step {
        case .map: derived = source.future.asyncMap(cancelToken: token) { _ in self.run(runs, captive) }
        case .flatMap:
            derived = source.future.asyncFlatMap(cancelToken: token) { _ in
                self.run(runs, captive)
                return Future(value: ())
            }
        case .recover:
            derived = source.future.asyncRecover(cancelToken: token) { _ in
                self.run(runs, captive)
                return 1
            }.asVoid()
        case .forEach: derived = source.future.asyncForEach(cancelToken: token) { _ in self.run(runs, captive) }
        }
        step.complete(source)
        detaching.detach(token)
        return derived
    }

    func startAndCancelFromHandler(_ token: CancelToken, _ runs: Tally) -> Future<Void> {
        let future = Future(cancelToken: token) { self.run(runs, nil) }
        token.cancelFromHandler()
        return future
    }

    private func run(_ runs: Tally, _ captive: Captive?) {
        captive?.touch()
        runs.add()
    }
}

/// A callback on another thread that cancels a token and returns later.
private final class Callback: Sendable {
    private let isCancelled = DispatchSemaphore(value: 0)
    private let mayReturn = DispatchSemaphore(value: 0)

    /// Returns when the token is canceled, while the callback has not returned.
    func cancel(_ token: CancelToken) {
        let (isCancelled, mayReturn) = (isCancelled, mayReturn)
        Thread {
            Future(value: 1).onSuccess(context: immediate) { _ in
                token.cancel()
                isCancelled.signal()
                mayReturn.wait()
            }
        }.start()
        isCancelled.wait()
    }

    func goOn() { mayReturn.signal() }
}
