import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

/// In the configuration with delays, these tests follow schedules: see `Tests/README.md`.
@Suite("Waits that end while others cancel, complete and leave", .watchdog)
struct BridgeRaceTests {
    @Test func `an await ends with the value or with a cancellation, and leaves nothing`() throws {
        for _ in 0..<Stress.rounds(100) {
            let (promise, end) = (Promise<Int>(), Box<Result<Int, any Error>?>(nil))
            let task = Wait { end.value = await .init { try await promise.future.value } }
            Wait.run([task], [{ promise.success(1) }, { task.cancel() }])
            switch end.value {
            case .success: break
            case .failure(let error): try verify(error is CancellationError, "a cancellation: \(error)")
            case nil: try verify(false, "an end")
            }
            try verify(promise.future.observerCount == 0, "no observer")
        }
    }

    @Test func `a token and a task's cancellation cancel the work once`() throws {
        for _ in 0..<Stress.rounds(100) {
            let (promise, token, handled, end) = (Promise<Int>(), CancelToken(), Tally(), Box<Int?>(nil))
            token.onCancel { handled.add() }
            let task = Wait { end.value = await (try? promise.future.value(cancelling: token)) ?? -1 }
            Wait.run([task], [{ promise.success(1) }, { task.cancel() }, { token.cancel() }])
            // A task's cancellation leaves the handlers to another thread.
            try verify(end.value != nil && spin { handled.count == 1 }, "one end, and one cancellation")
            try verify(promise.future.observerCount == 0 && token.registrationCount == 0, "no registration")
        }
    }

    @Test(arguments: [true, false])
    func `a loop gets all elements in order, up to its cancellation`(isCanceled: Bool) throws {
        for _ in 0..<Stress.rounds(100) {
            let (promise, seen, alive) = (StreamPromise<Captive>(capacity: 0), Log<Int>(), Tally())
            let elements = promise.stream.map(context: immediate) { $0 }.subscription()
            let hasEnded = Box(false)
            let task = Wait {
                do {
                    for try await _ in elements { seen.add(seen.count) }
                    hasEnded.value = true
                } catch {}
            }
            Wait.run(
                [task],
                [
                    {
                        for _ in 0..<4 { promise.success(Captive(alive)) }
                        promise.finish()
                    },
                    { if isCanceled { task.cancel() } },
                ])
            try verify(isCanceled || hasEnded.value && seen.count == 4, "4 elements and the end, not \(seen.count)")
            try verify(
                promise.stream.core.subscriberCount == 0 && spin { alive.count == 0 }, "no subscriber and no element")
        }
    }

    @Test func `a source is stopped once when its loop breaks, is canceled or ends`() throws {
        for _ in 0..<Stress.rounds(100) {
            let valve = Valve()
            let stream = valve.stream(capacity: 1)
            let seen = Log<Int>()
            let task = Wait {
                do {
                    for try await number in stream.values {
                        seen.add(number)
                        if number == 2 { break }
                    }
                } catch {}
            }
            Wait.run(
                [task],
                [
                    { for number in 0..<4 { valve.emit(number) } },
                    { task.cancel() },
                    { valve.emitter?.finish() },
                ])
            try verify(valve.errors.count == 0, "starts and stops alternate")
            try verify(!valve.isRunning && valve.starts.count == valve.stops.count, "each start has its stop")
            try verify(zip(seen.all, seen.all.dropFirst()).allSatisfy { $0 < $1 }, "in order: \(seen.all)")
        }
    }

    @Test func `a method's handle is canceled at most once, and only without its result`() throws {
        for _ in 0..<Stress.rounds(100) {
            let calls = Tally()
            let (kept, cancels, alive) = (Box<(@Sendable (Captive?, (any Error)?) -> Void)?>(nil), Tally(), Tally())
            let end = Box<Bool?>(nil)
            let task = Wait {
                do {
                    _ = try await withCompletionHandler {
                        (done: @escaping @Sendable (Captive?, (any Error)?) -> Void) in
                        calls.add()
                        kept.value = done
                        return CancelAction { cancels.add() }
                    }
                    end.value = true
                } catch { end.value = false }
            }
            Wait.run([task], [{ kept.change({ $0.take() })?(Captive(alive), nil) }, { task.cancel() }])
            kept.change({ $0.take() })?(Captive(alive), nil)
            try verify(end.value != nil && cancels.count <= calls.count, "one end, at most one cancellation")
            try verify(
                end.value == true ? cancels.count == 0 : spin { cancels.count == calls.count },
                "only a call without a result is canceled")
            try verify(spin { alive.count == 0 }, "values are released")
        }
    }

    @Test(arguments: [TaskCancellationResponse.abandon, .wait])
    func `a token canceled during a method cancels the method's handle`(_ response: TaskCancellationResponse) throws {
        for _ in 0..<Stress.rounds(100) {
            let (calls, cancels, token, ends) = (Tally(), Tally(), CancelToken(), Log<Bool>())
            let kept = Box<(@Sendable (Int?, (any Error)?) -> Void)?>(nil)
            together([
                {
                    let future = future(cancelToken: token, onCancel: response) {
                        (done: @escaping @Sendable (Int?, (any Error)?) -> Void) in
                        calls.add()
                        kept.value = done
                        return CancelAction { cancels.add() }
                    }
                    future.onComplete(context: immediate) { _ in ends.add(true) }
                    future.onCancel(context: immediate) { ends.add(false) }
                },
                { token.cancel() },
                { kept.change({ $0.take() })?(1, nil) },
            ])
            kept.change({ $0.take() })?(1, nil)
            try verify(ends.count == 1 && cancels.count <= calls.count, "one end, at most one cancellation")
            try verify(ends.last == true || cancels.count == calls.count, "a call without a result is canceled")
            try verify(token.registrationCount == 0, "no registration")
        }
    }

    @Test func `shared work is canceled when the last caller has left, and others get its value`() throws {
        for _ in 0..<Stress.rounds(100) {
            let (started, canceled) = (Log<Promise<Int>>(), Tally())
            let work = SharedWork<String, Int>(context: immediate) { _, token in
                let promise = Promise<Int>()
                token.onCancel { canceled.add() }
                started.add(promise)
                return promise.future
            }
            let ends = [Box<Result<Int, any Error>?>(nil), Box<Result<Int, any Error>?>(nil)]
            let tasks = ends.map { end in Wait { end.value = await .init { try await work.value(for: "a") } } }
            Wait.run(
                tasks,
                [
                    { tasks[0].cancel() },
                    { while ends[1].value == nil { for promise in started.all { promise.trySuccess(1) } } },
                ])
            guard case .success = ends[1].value else { return try verify(false, "the second has a value") }
            if case .failure(let error)? = ends[0].value { try verify(error is CancellationError, "\(error)") }
            try verify(work.count == 0, "no entry")
        }
    }

    @Test(arguments: [StreamBufferingPolicy.unbounded, .newest(2), .oldest(2), .reportingLag(2)])
    func `each element is delivered or counted as dropped`(policy: StreamBufferingPolicy) throws {
        for _ in 0..<Stress.rounds(50) {
            let source = StreamPromise<Int>(capacity: 0)
            let elements = source.stream.subscription(buffering: policy)
            let (seen, reported, dropped) = (Log<Int>(), Tally(), Box<Int?>(nil))
            let task = Wait {
                var iterator = elements.results.makeAsyncIterator()
                while let result = await iterator.next() {
                    switch result {
                    case .success(let number): seen.add(number)
                    case .failure(FuturesError.bufferOverflow(let count)): reported.add(count)
                    case .failure: break
                    }
                }
                dropped.value = iterator.droppedCount
            }
            Wait.run(
                [task],
                [
                    {
                        for number in 0..<8 { source.success(number) }
                        source.finish()
                    }
                ])
            guard let dropped = dropped.value else { return try verify(false, "an end") }
            try verify(seen.count + dropped == 8, "8 elements: \(seen.all) and \(dropped)")
            try verify(reported.count == (policy == .reportingLag(2) ? dropped : 0), "\(reported.count) reported")
            try verify(zip(seen.all, seen.all.dropFirst()).allSatisfy { $0 < $1 }, "in order: \(seen.all)")
            try verify(source.stream.core.subscriberCount == 0, "no subscriber")
        }
    }

    @Test func `a value of a canceled call is late once, and other values are not`() throws {
        for _ in 0..<Stress.rounds(100) {
            let (token, cancels, late, alive) = (CancelToken(), Tally(), Tally(), Tally())
            let (kept, end) = (Box<(@Sendable (Captive?, (any Error)?) -> Void)?>(nil), Log<Bool>())
            let call = Box<Future<Captive>?>(
                future(cancelToken: token, onLate: { _ in late.add() }) {
                    (done: @escaping @Sendable (Captive?, (any Error)?) -> Void) in
                    kept.value = done
                    return CancelAction { cancels.add() }
                })
            call.value?.onSuccess(context: immediate) { _ in end.add(true) }
            call.value?.onCancel(context: immediate) { end.add(false) }
            together([
                { kept.change({ $0.take() })?(Captive(alive), nil) },
                { token.cancel() },
                { _ = call.change { $0.take() } },
            ])
            try verify(end.count == 1 && late.count == (end.last == true ? 0 : 1), "\(end.all), \(late.count) late")
            try verify(cancels.count <= late.count, "the handle of a call that has succeeded is not canceled")
            try verify(token.registrationCount == 0 && spin { alive.count == 0 }, "no registration and no value")
        }
    }

    @Test(arguments: [true, false])
    func `runUntilFailure throws the failure or the cancellation, or returns the value`(isCanceled: Bool) throws {
        for _ in 0..<Stress.rounds(50) {
            let (source, work) = (StreamPromise<Int>(capacity: 0), Promise<Int>())
            let end = Box<Result<Int, any Error>?>(nil)
            let task = Wait {
                end.value = await .init { try await source.stream.runUntilFailure { try await work.future.value } }
            }
            Wait.run(
                [task],
                [
                    { work.success(1) },
                    { if isCanceled { task.cancel() } else { source.failure(Failure()) } },
                ])
            switch end.value {
            case .success: break
            case .failure(let error):
                try verify(isCanceled ? error is CancellationError : error is Failure, "\(error)")
            case nil: try verify(false, "an end")
            }
            try verify(source.stream.core.subscriberCount == 0, "no subscriber")
            try verify(spin { work.future.observerCount == 0 }, "no observer")
        }
    }
}

/// A task with a thread of its own.
private final class Wait: Sendable {
    private let hasEnded = Box(false)
    private let task: Task<Void, Never>
    /// Runs the task's jobs on the caller's thread until it has ended.
    ///
    /// Returns false if it is never resumed.
    private let run: @Sendable () -> Bool

    init(_ body: @escaping @Sendable () async -> Void) {
        let hasEnded = hasEnded
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
            let executor = ThreadExecutor()
            task = Task(executorPreference: executor) {
                await body()
                hasEnded.value = true
            }
            run = { executor.run { hasEnded.value } }
        } else {
            task = Task {
                await body()
                hasEnded.value = true
            }
            run = { spin { hasEnded.value } }
        }
    }

    func cancel() { task.cancel() }

    /// Runs tasks, and other closures on threads of their own.
    static func run(_ tasks: [Wait], _ others: [@Sendable () -> Void]) {
        together(
            tasks.map { task in
                { if !task.run() { Issue.record("a task has not been resumed") } }
            } + others)
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
