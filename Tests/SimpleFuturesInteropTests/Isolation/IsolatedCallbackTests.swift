import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("onSuccess(isolated:) and its like", .watchdog)
struct IsolatedCallbackTests {
    @Test @MainActor func `on the main actor: closures may use its state`() async {
        let model = Model()
        let promise = Promise<Int>()
        let failing = Promise<Int>()
        let token = CancelToken()
        model.observe(promise.future)
        model.observe(failing.future)
        model.observe(promise.future.map(cancelToken: token) { $0 }.map { $0 })
        let thread = Task.detached {
            failing.failure(Failure())
            promise.success(1)
        }
        await thread.value
        await until { model.log.count == 6 }
        #expect(
            model.log.sorted() == [
                "complete false", "complete true", "complete true", "failure", "success 1", "success 1",
            ])
        let cancelled = Promise<Int>()
        let derived = cancelled.future.map(cancelToken: token) { $0 }
        derived.onCancel(isolated: { model.log.append("cancelled") })
        token.cancel()
        await until { model.log.last == "cancelled" }
    }

    @Test @MainActor func `they never run before the call returns, and keep the order of others on the main queue`()
        async
    {
        let future = Future(value: 1)
        var order: [Int] = []
        let done = AsyncGate()
        future.onSuccess(isolated: { _ in order.append(1) })
        future.onSuccess(context: QueueContext.main) { _ in MainActor.assumeIsolated { order.append(2) } }
        future.onSuccess(isolated: { _ in order.append(3) })
        future.onComplete(context: MainActorContext()) { _ in
            MainActor.assumeIsolated { order.append(4) }
            done.open()
        }
        #expect(order.isEmpty)
        await done.pass()
        #expect(order == [1, 2, 3, 4])
    }

    @Test func `on an actor: elements in order, one callback after the other`() async {
        let store = Store()
        let stream = FutureStream<Int>()
        await store.follow(stream)
        let emitter = Task.detached {
            for number in 0..<1_000 {
                if number.isMultiple(of: 10) { stream.failure(Failure()) } else { stream.success(number) }
            }
            stream.finish()
        }
        await emitter.value
        while await !store.hasEnded { await Task.yield() }
        let log = await store.log
        var expected: [Int] = []
        for number in 0..<1_000 { expected += [number.isMultiple(of: 10) ? -1 : number, -2] }
        #expect(log == expected)
    }

    @Test func `a token detaches them`() async {
        let store = Store()
        let token = CancelToken()
        let future = Future<Int>()
        let stream = FutureStream<Int>()
        await store.never(future, stream, token)
        #expect(token.registrationCount == 6)
        token.cancel()
        future.success(1)
        stream.success(1)
        stream.finish()
        await store.turn()
    }

    @Test func `where there is no actor they run on the default context`() async {
        let done = Future<Bool>()
        Future(value: 1).onSuccess(isolated: { _ in done.success(DispatchQueue.getSpecific(key: mainKey) ?? false) })
        DispatchQueue.main.setSpecific(key: mainKey, value: true)
        #expect(await done.outcome.value != nil)
    }

    @Test @MainActor func `the end of a stream: finished or cancelled`() async {
        var log: [String] = []
        let stream = FutureStream<Int>()
        let token = CancelToken()
        let derived = stream.map(context: ImmediateContext(), cancelToken: token) { $0 }
        derived.onFinish(isolated: { log.append("derived finished") })
        derived.onCancel(isolated: { log.append("derived cancelled") })
        stream.onCancel(isolated: { log.append("cancelled") })
        stream.onFinish(isolated: { log.append("finished") })
        token.cancel()
        stream.finish()
        await until { log.count == 2 }
        #expect(log == ["derived cancelled", "finished"])
    }

    @Test @MainActor func `closures are released when they have run or can run no more`() async {
        weak var held: Counted?
        let promise = Promise<Int>()
        let token = CancelToken()
        do {
            let counted = Counted()
            held = counted
            promise.future.onSuccess(isolated: { _ in withExtendedLifetime(counted) {} })
            promise.future.onFailure(isolated: { _ in withExtendedLifetime(counted) {} })
            promise.future.onComplete(cancelToken: token, isolated: { _ in withExtendedLifetime(counted) {} })
        }
        token.cancel()
        #expect(held != nil)
        promise.success(1)
        await until { held == nil }
    }

    @Test func `a trailing closure is the core's callback, as ever`() async {
        let done = AsyncGate()
        let clock = ManualContext()
        Future(value: 1).onSuccess(context: clock) { _ in done.open() }
        clock.run()
        await done.pass()
    }
}

private let mainKey = DispatchSpecificKey<Bool>()

@MainActor private final class Model {
    var log: [String] = []

    func observe(_ future: Future<Int>) {
        future.onSuccess(isolated: show)
        future.onFailure(isolated: { [weak self] _ in self?.log.append("failure") })
        future.onComplete(isolated: { result in
            MainActor.assertIsolated()
            self.log.append("complete \(result.isSuccess())")
        })
    }

    func show(_ value: Int) { log.append("success \(value)") }
}

private actor Store {
    var log: [Int] = []
    var hasEnded = false

    func follow(_ stream: FutureStream<Int>) {
        stream.onSuccess(isolated: { number in
            self.preconditionIsolated()
            self.log.append(number)
        })
        stream.onFailure(isolated: { _ in self.log.append(-1) })
        stream.onComplete(isolated: { _ in self.log.append(-2) })
        stream.onFinish(isolated: { self.hasEnded = true })
        stream.onCancel(isolated: { self.log.append(-3) })
    }

    func never(_ future: Future<Int>, _ stream: FutureStream<Int>, _ token: CancelToken) {
        future.onSuccess(cancelToken: token, isolated: { _ in Issue.record("runs") })
        future.onFailure(cancelToken: token, isolated: { _ in Issue.record("runs") })
        future.onComplete(cancelToken: token, isolated: { _ in Issue.record("runs") })
        stream.onSuccess(cancelToken: token, isolated: { _ in Issue.record("runs") })
        stream.onComplete(cancelToken: token, isolated: { _ in Issue.record("runs") })
        stream.onFinish(cancelToken: token, isolated: { Issue.record("runs") })
    }

    func turn() {}
}
