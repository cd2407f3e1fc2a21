import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promise 6: on the immediate context callbacks run before the call returns", .watchdog)
struct ImmediateMeansNowTests {
    private let here = ImmediateContext()

    @Test func `the completing call and the registering call return after the callback`() {
        let promise = Promise<Int>()
        let runs = Box(0)
        promise.future.onSuccess(context: here) { _ in runs.increment() }
        #expect(runs.value == 0)
        promise.success(1)
        #expect(runs.value == 1)
        promise.future.onSuccess(context: here) { _ in runs.increment() }
        #expect(runs.value == 2)
    }

    @Test func `a whole chain has ended when the completing call returns`() {
        let promise = Promise<Int>()
        var end = promise.future
        for _ in 0..<100 {
            end = end.map(context: here) { $0 + 1 }.flatMap(context: ImmediateContext()) { Future(value: $0) }
        }
        promise.success(0)
        #expect(end.result?.value == 100)
    }

    @Test func `token.cancel returns after handlers and onCancel callbacks`() {
        let log = Log<String>()
        let token = CancelToken()
        let promise = Promise<Int>()
        promise.future.map(context: here, cancelToken: token) { $0 }.onCancel(context: here) { log.add("onCancel") }
        token.onCancel { log.add("first") }
        token.onCancel { log.add("second") }
        token.cancel()
        #expect(log.all == ["onCancel", "first", "second"])
        token.onCancel { log.add("late") }
        #expect(log.all.last == "late")
    }

    @Test func `releasing a promise runs the failure callbacks before it returns`() {
        let log = Log<Bool>()
        var promise: Promise<Int>? = Promise()
        promise?.future.onFailure(context: here) { _ in log.add(true) }
        promise = nil
        #expect(log.all == [true])
    }

    @Test func `a call inside a callback runs its own callbacks when that callback returns`() {
        let log = Log<String>()
        let outer = Promise<Int>()
        let inner = Promise<Int>()
        inner.future.onSuccess(context: here) { _ in log.add("inner") }
        outer.future.onSuccess(context: here) { _ in
            inner.success(1)
            log.add("outer")
        }
        outer.future.onSuccess(context: here) { _ in log.add("next of outer") }
        outer.success(1)
        #expect(log.all.first == "outer")
        #expect(log.all.sorted() == ["inner", "next of outer", "outer"])
    }

    @Test func `a callback registered during another thread's delivery is the next that this thread runs`() {
        let log = Log<String>()
        let entered = Signal()
        let leave = Signal()
        let promise = Promise<Int>()
        promise.future.onSuccess(context: here) { _ in
            entered.open()
            #expect(leave.pass())
            log.add("first")
        }
        let done = Signal()
        DispatchQueue.global().async {
            promise.success(1)
            done.open()
        }
        #expect(entered.pass())
        promise.future.onSuccess(context: here) { _ in log.add("second") }
        #expect(log.all == [])
        leave.open()
        #expect(done.pass())
        #expect(log.all == ["first", "second"])
    }

    @Test(arguments: Place.allCases)
    func `wait runs the callbacks that this thread has deferred`(_ place: Place) {
        let spot = place.make()
        let log = Log<Int>()
        let outer = Promise<Int>()
        let isOver = returns {
            outer.future.onSuccess(context: spot.context) { _ in
                let inner = Promise<Int>()
                let derived = inner.future.map(context: ImmediateContext()) { $0 + 1 }
                inner.success(1)
                if let value = try? derived.wait() { log.add(value) }
            }
            outer.success(1)
            spot.settle()
        }
        #expect(isOver)
        #expect(log.all == [2])
    }

    @Test func `wait runs later callbacks of the future whose callback is running`() {
        let log = Log<Int>()
        let isOver = returns {
            let promise = Promise<Int>()
            let inner = Promise<Int>()
            promise.future.onSuccess(context: ImmediateContext()) { _ in
                if let value = try? inner.future.wait() { log.add(value) }
            }
            promise.future.onSuccess(context: ImmediateContext()) { inner.success($0 + 1) }
            promise.success(1)
        }
        #expect(isOver)
        #expect(log.all == [2])
    }

    @Test func `a thread that waits inside a callback does not block other threads' callbacks of that future`() {
        // The first callback waits for a promise that a later one completes, which another thread registers.
        let source = Promise<Int>()
        let inner = Promise<Int>()
        let entered = Signal()
        let log = Log<Int>()
        source.future.onSuccess(context: ImmediateContext()) { _ in
            entered.open()
            log.add((try? inner.future.wait(timeout: .seconds(600))) ?? -1)
        }
        let done = Signal()
        DispatchQueue.global().async {
            source.success(1)
            done.open()
        }
        #expect(entered.pass())
        // Wait until the other thread blocks in `wait`.
        while inner.future.observerCount == 0 {}
        source.future.onSuccess(context: DispatchQueue(label: "other")) { inner.success($0 + 1) }
        #expect(done.pass())
        #expect(log.all == [2])
    }

    @Test func `a thread that waits for a result gets it before the completing callback returns`() {
        let outer = Promise<Int>()
        let inner = Promise<Int>()
        let received = Signal()
        let log = Log<Bool>()
        DispatchQueue.global().async {
            _ = try? inner.future.wait(timeout: .seconds(600))
            received.open()
        }
        while inner.future.observerCount == 0 {}
        outer.future.onSuccess(context: ImmediateContext()) { _ in
            inner.success(1)
            log.add(received.pass())
        }
        outer.success(1)
        #expect(log.all == [true])
    }

    // MARK: Bounded delivery for other threads

    @Test func `a thread that registers an immediate callback returns, however fast another thread registers`() async {
        let future = Future(value: 1)
        let isOver = Box(false)
        let isAtIt = Signal()
        let count = Box(0)
        let heard = Log<Int>()
        let begun = Signal()
        async let registered: Void = onThread {
            #expect(begun.pass())
            while !isOver.value {
                let number = count.value + 1
                count.value = number
                future.onSuccess(context: ImmediateContext()) { _ in
                    heard.add(number)
                    // This makes each callback slower than a registration.
                    for _ in 0..<100 { _ = isOver.value }
                }
                if number == 100 { isAtIt.open() }
            }
        }
        await onThread {
            future.onSuccess(context: ImmediateContext(), cancelToken: CancelToken()) { _ in
                begun.open()
                #expect(isAtIt.pass())
            }
            isOver.value = true
        }
        await registered
        await until { heard.all.count == count.value }
        #expect(heard.all == Array(1...count.value))
    }

    @Test(arguments: [0, 3])
    func `a thread that subscribes on the immediate context returns, however fast another thread emits`(_ links: Int)
        async
    {
        let promise = StreamPromise<Int>(capacity: 10)
        let isOver = Box(false)
        let count = Box(0)
        let isAtIt = Signal()
        async let emitted: Void = onThread {
            while !isOver.value {
                count.change { $0 += 1 }
                promise.success(count.value)
                if count.value == 100 { isAtIt.open() }
            }
        }
        let heard = Log<Int>()
        await onThread {
            #expect(isAtIt.pass())
            // The links make the delivery slower than an emission.
            let stream = (0..<links).reduce(promise.stream) { stream, _ in
                stream.map(context: ImmediateContext()) { $0 }
            }
            stream.onSuccess(context: ImmediateContext()) { value in
                heard.add(value)
                for _ in 0..<100 { _ = isOver.value }
            }
            isOver.value = true
        }
        await emitted
        await until { heard.all.last == count.value }
        let all = heard.all
        #expect(!all.isEmpty)
        #expect(all == Array(all[0]..<all[0] + all.count))
        #expect(all.last == count.value)
    }
}
