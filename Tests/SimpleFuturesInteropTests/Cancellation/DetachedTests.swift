import Foundation
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

// Each test waits until the closure in question is released, and asks only then whether it has run.

@Suite("Closures that await do not run once they are detached", .watchdog)
struct DetachedTests {
    // MARK: Futures

    @Test(arguments: Step.allCases)
    func `a closure whose turn has come and that has not begun`(_ step: Step) async {
        for detaching in Detaching.allCases {
            let (runs, alive) = (Tally(), Tally())
            let derived = await Desk().completeAndDetach(step, detaching, runs, Captive(alive))
            // What the runtime's handler cancels is detached on another thread.
            if detaching != .handler { #expect(derived.isCancelled) }
            await until { alive.count == 0 }
            await until { derived.isCancelled }
            #expect(runs.count == 0, "\(detaching)")
        }
    }

    @Test @MainActor func `a token that a callback cancels keeps a closure from beginning before the callback returns`()
        async
    {
        let token = CancelToken()
        let runs = Tally()
        let stream = FutureStream<Int>()
        stream.success(1)
        // Their turn has come, and the actor is here.
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
    func `a closure that runs sees that its task is cancelled, and what it returns is dropped`(_ step: Step) async {
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

    @Test func `the inner future of asyncFlatMap is left alone, and what waits for it is detached`() async {
        let (token, inner) = (CancelToken(), Promise<Int>())
        let derived = Future(value: 1).asyncFlatMap(cancelToken: token) { _ in inner.future }
        await until { inner.future.observerCount == 1 }
        token.cancel()
        #expect(derived.isCancelled)
        #expect(inner.future.observerCount == 0)
        #expect(inner.trySuccess(1))
        #expect(token.registrationCount == 0)
    }

    @Test func `the inner streams of asyncFlatMap are left alone, and what waits for them is detached`() async {
        for hasFinished in [false, true] {
            let (token, alive, elements) = (CancelToken(), Tally(), Tally())
            let (source, inner) = (StreamPromise<Int>(capacity: 0), StreamPromise<Int>(capacity: 0))
            let derived = source.stream.asyncFlatMap(cancelToken: token) { [captive = Captive(alive)] _ in
                captive.touch()
                return inner.stream
            }
            let cancelled = Promise<Void>()
            derived.onComplete(context: ImmediateContext()) { _ in elements.add() }
            derived.onCancel(context: ImmediateContext()) { cancelled.success() }
            source.success(1)
            await until { inner.stream.core.subscriberCount == 1 }
            if hasFinished {
                source.finish()
                // The loop has ended, the inner stream has not.
                await until { alive.count == 0 }
            }
            inner.success(1)
            token.cancel()
            #expect(cancelled.completed)
            inner.success(2)
            #expect(elements.count == 1)
            #expect(inner.stream.core.subscriberCount == 0)
            #expect(token.registrationCount == 0)
        }
    }

    @Test func `the body of a future whose token was cancelled before, inside a callback`() async {
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
            // The handlers of the token run when this returns; the task does not wait for that.
            while alive.count > 0 { sched_yield() }
            made.success([future, promise.future])
        }
        start.success()
        for future in await made.future.outcome.value ?? [] { #expect(await future.outcome.error is CancellationError) }
        #expect(runs.count == 0)
    }

    @Test func `the body of a future whose token was cancelled in the runtime's handler`() async {
        for _ in 0..<Stress.rounds(200) {
            let (runs, token) = (Tally(), CancelToken())
            let future = await Desk().startAndCancelFromHandler(token, runs)
            #expect(await future.outcome.error is CancellationError)
            #expect(runs.count == 0)
        }
    }

    @Test func `a task whose token was cancelled before is cancelled at once, inside a callback too`() async {
        let (token, start, gate) = (CancelToken(), Promise<Void>(), Promise<Void>())
        let task = Task { await gate.future.outcome }
        let wasCancelled = Promise<Bool>()
        start.future.onSuccess(context: ImmediateContext()) {
            token.cancel()
            token.cancel(task)
            wasCancelled.success(task.isCancelled)
        }
        start.success()
        #expect(wasCancelled.future.result?.value == true)
    }

    // MARK: Streams

    @Test func `asyncRecover does not take the detachment for a failure`() async {
        for isBusy in [true, false] {
            let (token, alive, errors) = (CancelToken(), Tally(), Tally())
            let source = StreamPromise<Int>(capacity: 0)
            let derived = source.stream.asyncRecover(cancelToken: token) { [captive = Captive(alive)] error in
                captive.touch()
                errors.add()
                if !(error is Failure) { Issue.record("\(error)") }
                return 1
            }
            if isBusy {
                source.failure(Failure())
                await until { errors.count == 1 }
            }
            token.cancel()
            await until { alive.count == 0 }
            #expect(errors.count == (isBusy ? 1 : 0))
            _ = derived
        }
    }

    @Test func `asyncRecover does not take the cancellation of its stream for a failure`() async {
        let (token, alive, errors) = (CancelToken(), Tally(), Tally())
        let source = StreamPromise<Int>(capacity: 0)
        let end = source.stream.map(context: ImmediateContext(), cancelToken: token) { $0 }
            .asyncRecover { [captive = Captive(alive)] _ in
                captive.touch()
                errors.add()
                return 1
            }
        source.failure(Failure())
        await until { errors.count == 1 }
        let cancelled = Promise<Void>()
        end.onCancel(context: ImmediateContext()) { cancelled.success() }
        token.cancel()
        _ = await cancelled.future.outcome
        await until { alive.count == 0 }
        #expect(errors.count == 1)
    }

    @Test(arguments: StreamStep.allCases)
    func `a stream that is detached has no element more`(_ step: StreamStep) async {
        for round in 0..<Stress.rounds(500) {
            let (token, alive, elements, runs) = (CancelToken(), Tally(), Tally(), Tally())
            let source = StreamPromise<Int>(capacity: 0)
            step.make(from: source.stream, under: token, counting: elements) { [captive = Captive(alive)] in
                captive.touch()
                runs.add()
            }
            // So that the loop waits for the next one.
            step.emit(1, into: source)
            let seen = step == .forEach ? 0 : 1
            await until { runs.count == 1 && elements.count == seen }
            if round.isMultiple(of: 2) { for _ in 0..<10 { await Task.yield() } }
            token.cancel()
            await until { alive.count == 0 }
            if elements.count > seen || runs.count > 1 {
                Issue.record("\(elements.count - seen) elements, \(runs.count - 1) calls")
                break
            }
        }
    }

    @Test(arguments: StreamStep.allCases)
    func `elements that wait when the stream has finished are detached as others`(_ step: StreamStep) async {
        for hasFinished in [false, true] {
            let (token, alive, elements) = (CancelToken(), Tally(), Tally())
            let (runs, gate, sawIt) = (Tally(), Promise<Void>(), Tally())
            let source = StreamPromise<Int>(capacity: 3)
            for number in 0..<3 { step.emit(number, into: source) }
            if hasFinished { source.finish() }
            let isCancelled = step.make(from: source.stream, under: token, counting: elements) {
                [captive = Captive(alive)] in
                captive.touch()
                runs.add()
                _ = await Task { await gate.future.outcome }.value
                if Task.isCancelled { sawIt.add() }
            }
            await until { runs.count == 1 }
            token.cancel()
            #expect(isCancelled.result != nil)
            gate.success()
            await until { alive.count == 0 }
            #expect(runs.count == 1)
            #expect(sawIt.count == 1)
            #expect(elements.count == 0)
            #expect(token.registrationCount == 0)
        }
    }

    // MARK: Waiting

    @Test(arguments: Backed.allCases, Await.allCases) @MainActor
    func `an await of a future with a task behind it registers before the actor does anything else`(
        _ backed: Backed, _ way: Await
    ) async {
        for _ in 0..<Stress.rounds(20) {
            let gate = Promise<Int>()
            let future = backed.make(of: gate.future)
            let before = future.observerCount
            let waiter = Task { @MainActor in await way.value(of: future) }
            // Behind the waiter in the queue of the actor.
            let counter = Task { @MainActor in future.observerCount }
            #expect(await counter.value == before + 1)
            gate.success(1)
            #expect(await waiter.value == 1)
        }
    }
}

/// How a closure is detached.
enum Detaching: CaseIterable, Sendable {
    case token, callback, handler

    func detach(_ token: CancelToken) {
        switch self {
        case .token: token.cancel()
        case .callback:
            Future(value: ()).onSuccess(context: ImmediateContext()) { token.cancel() }
        case .handler: token.cancelFromHandler()
        }
    }
}

/// The combinators of futures whose closure awaits.
enum Step: String, CaseIterable, Sendable {
    case map, flatMap, recover, forEach

    func make(
        from source: Future<Int>, under token: CancelToken, _ body: @escaping @isolated(any) @Sendable () async -> Void
    ) -> Future<Void> {
        switch self {
        case .map: source.asyncMap(cancelToken: token) { _ in await body() }
        case .flatMap:
            source.asyncFlatMap(cancelToken: token) { _ in
                await body()
                return Future(value: ())
            }
        case .recover:
            source.asyncRecover(cancelToken: token) { _ in
                await body()
                return 1
            }.asVoid()
        case .forEach: source.asyncForEach(cancelToken: token) { _ in await body() }
        }
    }

    func complete(_ source: Promise<Int>) {
        if self == .recover { source.failure(Failure()) } else { source.success(1) }
    }
}

/// An actor that does nothing else until a call of it returns.
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

/// The combinators of streams whose closure awaits.
enum StreamStep: String, CaseIterable, Sendable {
    case map, flatMap, recover, forEach

    /// The future ends when what was made is cancelled, or would go on otherwise.
    @discardableResult
    func make(
        from source: FutureStream<Int>, under token: CancelToken, counting elements: Tally,
        _ body: @escaping @Sendable () async -> Void
    ) -> Future<Void> {
        switch self {
        case .map:
            return observe(source.asyncMap(cancelToken: token) { _ in await body() }, elements)
        case .flatMap:
            return observe(
                source.asyncFlatMap(cancelToken: token) { _ in
                    await body()
                    return Future(value: 1)
                }, elements)
        case .recover:
            return observe(
                source.asyncRecover(cancelToken: token) { _ in
                    await body()
                    return 1
                }, elements)
        case .forEach:
            let cancelled = Future<Void>()
            let end = source.asyncForEach(cancelToken: token) { _ in await body() }
            end.onCancel(context: ImmediateContext()) { cancelled.success() }
            end.onComplete(context: ImmediateContext()) { _ in elements.add() }
            return cancelled
        }
    }

    private func observe<T: Sendable>(_ stream: FutureStream<T>, _ elements: Tally) -> Future<Void> {
        let cancelled = Future<Void>()
        stream.onCancel(context: ImmediateContext()) { cancelled.success() }
        stream.onComplete(context: ImmediateContext()) { _ in elements.add() }
        stream.onFinish(context: ImmediateContext()) { elements.add() }
        return cancelled
    }

    func emit(_ number: Int, into source: StreamPromise<Int>) {
        if self == .recover { source.failure(Failure()) } else { source.success(number) }
    }
}

/// Futures that a task is going to complete.
enum Backed: String, CaseIterable, Sendable {
    case future, promise, taskFuture, map, recover

    func make(of source: Future<Int>) -> Future<Int> {
        switch self {
        case .future: return Future { @concurrent in try await source.value }
        case .promise:
            let promise = Promise<Int>()
            promise.completeWith { @concurrent in try await source.value }
            return promise.future
        case .taskFuture: return Task { @concurrent in try await source.value }.future
        case .map: return source.asyncMap { @concurrent in $0 }
        case .recover: return source.asyncRecover { @concurrent in throw $0 }
        }
    }
}

/// The ways to await a future.
enum Await: String, CaseIterable, Sendable {
    case value, outcome, cancelling, abandoning, completions, values

    func value(of future: Future<Int>) async -> Int? {
        switch self {
        case .value: return try? await future.value
        case .outcome: return await future.outcome.value
        case .cancelling: return try? await future.value(cancelling: CancelToken())
        case .abandoning: return try? await future.value(cancelling: CancelToken(), onCancel: .abandon)
        case .completions:
            var iterator = [future].completions.makeAsyncIterator()
            return await iterator.next()?.result.value
        case .values:
            var iterator = [future].values.makeAsyncIterator()
            return try? await iterator.next()
        }
    }
}

/// A callback on another thread that cancels a token and takes its time to return.
private final class Callback: Sendable {
    private let isCancelled = DispatchSemaphore(value: 0)
    private let mayReturn = DispatchSemaphore(value: 0)

    /// Returns when the token is cancelled, and the callback has not returned.
    func cancel(_ token: CancelToken) {
        let (isCancelled, mayReturn) = (isCancelled, mayReturn)
        Thread {
            Future(value: 1).onSuccess(context: ImmediateContext()) { _ in
                token.cancel()
                isCancelled.signal()
                mayReturn.wait()
            }
        }.start()
        isCancelled.wait()
    }

    func goOn() { mayReturn.signal() }
}
