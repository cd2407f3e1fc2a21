import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promise 3: user code runs on the context it was registered with, plumbing on none", .watchdog)
struct OnItsContextTests {
    @Test(arguments: [true, false], [true, false])
    func `every closure runs on its queue, whoever completes and whenever it is registered`(
        _ isEarly: Bool, _ succeeds: Bool
    ) {
        let queue = MarkedQueue()
        let promise = Promise<Int>()
        let places = Log<Bool>()
        func complete() { promise.complete(succeeds ? .success(1) : .failure(Failure())) }

        if !isEarly { complete() }
        let future = promise.future
        future.onComplete(context: queue.context) { _ in places.add(queue.isCurrent) }
        future.onSuccess(context: queue.context) { _ in places.add(queue.isCurrent) }
        future.onFailure(context: queue.context) { _ in places.add(queue.isCurrent) }
        future.forEach(context: queue.context) { _ in places.add(queue.isCurrent) }
        let derived: [Future<Int>] = [
            future.map(context: queue.context) { value in
                places.add(queue.isCurrent)
                return value
            },
            future.flatMap(context: queue.context) { value in
                places.add(queue.isCurrent)
                return Future(value: value)
            },
            future.filter(context: queue.context) { _ in
                places.add(queue.isCurrent)
                return true
            },
            future.andThen(context: queue.context) { _ in places.add(queue.isCurrent) },
            future.recover(context: queue.context) { _ in
                places.add(queue.isCurrent)
                return 2
            },
            future.recoverWith(context: queue.context) { _ in
                places.add(queue.isCurrent)
                return Future(value: 2)
            },
            future.mapError(context: queue.context) { error in
                places.add(queue.isCurrent)
                return error
            },
        ]
        if isEarly { complete() }
        for each in derived { _ = try? each.wait(timeout: .seconds(600)) }
        queue.settle()
        #expect(places.all == Array(repeating: true, count: succeeds ? 7 : 5))
    }

    @Test func `the closures of combinators over many futures run on their queue`() {
        let queue = MarkedQueue()
        let places = Log<Bool>()
        let inputs = [Future(value: 1), Future(value: 2)]
        @Sendable func note() { places.add(queue.isCurrent) }
        let derived = [
            inputs.fold(context: queue.context, initial: 0) { sum, value in
                note()
                return sum + value
            },
            inputs.reduce(context: queue.context) { sum, value in
                note()
                return sum + value
            },
            inputs.find(context: queue.context) { value in
                note()
                return value == 2
            },
            .retry(
                2, context: queue.context,
                while: { _ in
                    note()
                    return true
                },
                {
                    note()
                    throw Failure()
                }),
        ]
        inputs[0].on(context: queue.context, success: { _ in note() }, completion: { _ in note() })
        for each in derived { _ = try? each.wait(timeout: .seconds(600)) }
        queue.settle()
        #expect(places.all == Array(repeating: true, count: 10))
    }

    @Test func `onCancel runs on its queue`() {
        let queue = MarkedQueue()
        let token = CancelToken()
        let promise = Promise<Int>()
        let places = Log<Bool>()
        let derived = promise.future.map(cancelToken: token) { $0 }
        derived.onCancel(context: queue.context) { places.add(queue.isCurrent) }
        token.cancel()
        derived.onCancel(context: queue.context) { places.add(queue.isCurrent) }
        queue.settle()
        #expect(places.all == [true, true])
    }

    @Test func `a context that is given to a call without a closure is not used`() {
        let context = InlineContext()
        let promise = Promise<Int>()
        let target = Future<Int>()
        target.completeWith(context: context, future: promise.future)
        let second = Promise<Int>()
        second.completeWith(context: context, future: promise.future)
        let dependent = Future(context: context, dependent: promise.future)
        let all = [promise.future, target].sequence(context: context)
        let traversed = [1, 2].traverse(context: context) { _ in promise.future }
        let whole = [promise.future.materialize().asVoid(), target.asVoid()].settled()
        promise.success(4)
        #expect(target.result?.value == 4)
        #expect(second.future.result?.value == 4)
        #expect(dependent.result?.value == 4)
        #expect(all.result?.value == [4, 4])
        #expect(traversed.result?.value == [4, 4])
        #expect(whole.result?.value?.count == 2)
        #expect(context.count == 0)
    }

    @Test func `plumbing adds no hop: it has happened when the completing call returns`() {
        let inner = Promise<Int>()
        let outer = Future(value: 1).flatMap(context: ImmediateContext()) { _ in inner.future }
        let recovered = Future<Int>(error: Failure()).recoverWith(context: ImmediateContext()) { _ in inner.future }
        let pair = zip(inner.future, outer)
        inner.success(5)
        #expect(outer.result?.value == 5)
        #expect(recovered.result?.value == 5)
        #expect(pair.result?.value.map { $0 == 5 && $1 == 5 } == true)
    }

    @Test func `what a closure is not for passes its context by`() {
        let context = ManualContext()
        let failed = Future<Int>(error: Failure())
        #expect(failed.map(context: context) { $0 }.completed)
        #expect(failed.flatMap(context: context) { _ in failed }.completed)
        #expect(Future(value: 1).recover(context: context) { _ in 2 }.completed)
        #expect(Future(value: 1).recoverWith(context: context) { _ in failed }.completed)
        failed.onSuccess(context: context) { _ in }
        failed.onCancel(context: context) {}
        Future(value: 1).onFailure(context: context) { _ in }
        #expect(context.pendingCount == 0)
    }

    @Test func `what depends on a task that its context drops is broken, not left alone`() {
        let promise = Promise<Int>()
        let mapped = promise.future.map(context: DroppingContext()) { $0 }
        let token = CancelToken()
        let tokened = promise.future.flatMap(context: DroppingContext(), cancelToken: token) { Future(value: $0) }
        let made = future(context: DroppingContext()) { 1 }
        promise.success(1)
        for broken in [mapped, tokened, made] {
            #expect(broken.result?.error as? FuturesError == .brokenPromise(createdAt: nil))
        }
        #expect(promise.future.observerCount == 0)
        #expect(token.registrationCount == 0)
    }
}

/// A serial queue that knows when it is current.
private struct MarkedQueue: Sendable {
    private let key = DispatchSpecificKey<Bool>()
    private let queue = DispatchQueue(label: "marked")

    init() { queue.setSpecific(key: key, value: true) }

    var context: any ExecutionContext { QueueContext(queue: Queue(queue)) }

    var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

    func settle() { queue.sync {} }
}
