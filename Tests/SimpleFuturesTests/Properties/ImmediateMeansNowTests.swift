import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promise 6: on the immediate context callbacks run before the call returns", .watchdog)
struct ImmediateMeansNowTests {
    private let here = ImmediateContext()

    @Test func `a callback that waits runs all callbacks that other threads add, on its own thread`() async {
        let (future, last, threads, here) = (Future<Void>(), Promise<Int>(), Log<UInt>(), Box<UInt>(0))
        let (hasBegun, hasAdded) = (Signal(), Signal())
        future.onSuccess(context: immediate) {
            here.value = threadNumber()
            #expect(last.future.awaitedValue == 5)
        }
        future.onSuccess(context: immediate) {
            hasBegun.open()
            #expect(hasAdded.pass())
        }
        async let added: Void = onThread {
            #expect(hasBegun.pass())
            for _ in 0..<100 { future.onSuccess(context: immediate) { threads.add(threadNumber()) } }
            future.onSuccess(context: immediate) { last.success(5) }
            hasAdded.open()
        }
        await onThread { future.success() }
        await added
        #expect(threads.all == Array(repeating: here.value, count: 100))
    }

    @Test func `the call that completes, registers or breaks returns after the callbacks of a whole chain`() {
        let log = Log<Int>()
        var promise: Promise<Int>? = Promise()
        var end = promise!.future
        for _ in 0..<100 {
            end = end.map(context: here) { $0 + 1 }.flatMap(context: ImmediateContext()) { Future(value: $0) }
        }
        end.onSuccess(context: here) { log.add($0) }
        #expect(log.all == [])
        promise?.success(0)
        #expect(log.all == [100])
        end.onSuccess(context: here) { log.add($0 + 1) }
        #expect(log.all == [100, 101])
        promise = Promise()
        promise?.future.onFailure(context: here) { _ in log.add(-1) }
        promise = nil
        #expect(log.all == [100, 101, -1])
    }

    @Test(arguments: [true, false])
    @MainActor func `a second callback runs at once on main, if the future is completed or released there`(
        isReleased: Bool
    ) {
        let log = Log<Int>()
        var future: Future<Int>? = Future()
        future?.onComplete(context: here) { _ in log.add(1) }
        future?.onComplete(context: QueueContext.mainImmediate) { _ in log.add(2) }
        if !isReleased { future?.success(0) }
        future = nil
        #expect(log.all == [1, 2])
    }

    @Test @MainActor func `on main they keep their order with immediate ones, inside other callbacks`() {
        let (completed, pending, log) = (Future(value: 1), Future<Int>(), Log<Int>())
        pending.onSuccess(context: here) { _ in log.add(3) }
        Future(value: 0).onSuccess(context: here) { [here] _ in
            completed.onSuccess(context: here) { _ in log.add(1) }
            completed.onSuccess(context: QueueContext.mainImmediate) { _ in log.add(2) }
            pending.success(1)
            pending.onSuccess(context: QueueContext.mainImmediate) { _ in log.add(4) }
        }
        #expect(log.all == [1, 2, 3, 4])
    }

    @Test func `a stream calls back on main, also if it emits there in the middle of another thread's callback`() async
    {
        let (stream, onMain) = (FutureStream<Int>(capacity: 0), Log<Bool>())
        stream.onSuccess(context: QueueContext.mainImmediate) { _ in onMain.add(MainQueue.isCurrent) }
        DispatchQueue.global().async {
            Future(value: 0).onSuccess(context: immediate) { _ in DispatchQueue.main.sync { stream.success(1) } }
        }
        await until { onMain.count == 1 }
        #expect(onMain.all == [true])
        stream.finish()
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
}

@Suite("Promise 6: a thread runs the pending callbacks and 64 more, and another thread runs the rest", .watchdog)
struct AllowanceTests {
    /// A future or a stream, whose callbacks on a context are called with numbers.
    enum Subject: CaseIterable {
        case future, stream, streamWithTwoContexts, derivedStream, combinedStreams
        // It has a context of its own.
        case futureOnAnother

        static let onAnyContext = [future, stream, streamWithTwoContexts, derivedStream, combinedStreams]

        /// Calls `body` with 0 on the context when started, and with other numbers when these are added.
        func begin(
            on context: any ExecutionContext, _ body: @escaping @Sendable (Int) -> Void
        ) -> (start: @Sendable () -> Void, add: @Sendable (Int) -> Void) {
            switch self {
            case .future, .futureOnAnother:
                let (future, context) = (Future<Void>(), self == .future ? context : InlineContext())
                future.onSuccess(context: context) { body(0) }
                let add = { @Sendable number in
                    future.onSuccess(context: context) {
                        body(number)
                        // Does not go to that context, so it must not extend the limit there.
                        if self == .futureOnAnother { future.onSuccess(context: immediate) { _ = number } }
                    }
                }
                return ({ future.success() }, add)
            case .stream, .streamWithTwoContexts:
                let stream = FutureStream<Int>(capacity: 0)
                stream.onSuccess(context: context, completion: body)
                if self == .streamWithTwoContexts { stream.onSuccess(context: QueueContext.global) { _ in } }
                return ({ stream.success(0) }, { number in stream.success(number) })
            case .derivedStream:
                let (stream, derived) = (FutureStream<Int>(capacity: 0), FutureStream<Int>(capacity: 0))
                // The first element comes inside another callback.
                stream.onSuccess(context: immediate) { derived.success($0) }
                derived.onSuccess(context: context, completion: body)
                return ({ stream.success(0) }, { number in derived.success(number) })
            case .combinedStreams:
                let (stream, other) = (FutureStream<Int>(capacity: 0), FutureStream(value: 0, capacity: 1))
                stream.combineLatest(other).onSuccess(context: context) { _, number in body(number) }
                return ({ stream.success(0) }, { number in other.success(number) })
            }
        }
    }

    /// Where the first callback runs, during which another thread adds others.
    enum First: CaseIterable {
        case onAThread, onMain

        var context: any ExecutionContext { self == .onMain ? QueueContext.mainImmediate : immediate }
    }

    static let places = Subject.allCases.map { ($0, First.onAThread) } + Subject.onAnyContext.map { ($0, .onMain) }

    @Test(arguments: places)
    func `callbacks that other threads add beyond that run elsewhere, or later on main, in order`(
        _ subject: Subject, _ first: First
    ) async {
        let heard = Log<(number: Int, isHere: Bool)>()
        let (mayGoOn, hasBegun) = (Signal(), Signal())
        let here = Box<UInt>(0)
        let (start, add) = subject.begin(on: first.context) { number in
            if first == .onMain { dispatchPrecondition(condition: .onQueue(.main)) }
            heard.add((number, here.value == threadNumber()))
            if number == 0 {
                hasBegun.open()
                #expect(mayGoOn.pass())
            }
        }
        async let added: Void = onThread {
            #expect(hasBegun.pass())
            for number in 1...1_000 { add(number) }
            mayGoOn.open()
        }
        if first == .onMain {
            DispatchQueue.main.async(execute: start)
        } else {
            await onThread {
                here.value = threadNumber()
                start()
                // The system may give the rest to the same thread.
                here.value = 0
            }
        }
        await added
        await until { heard.count == 1_001 }
        #expect(heard.all.map(\.number) == Array(0...1_000))
        let countHere = heard.all.count { $0.isHere }
        // Two streams, each with its own limit.
        let limit = subject == .combinedStreams ? 131 : 66
        #expect(first == .onMain || (1...limit).contains(countHere), "\(countHere) on the thread")
    }

    @Test(arguments: Subject.allCases)
    func `callbacks that the thread adds itself run on that thread`(_ subject: Subject) async {
        let all = Array(0...10_000)
        let heard = await onThread {
            let heard = Log<Int>()
            let add = Box<@Sendable (Int) -> Void>({ _ in })
            let parts = subject.begin(on: immediate) { number in
                heard.add(number)
                // Each callback adds two, so that more callbacks wait than run.
                for next in [2 * number + 1, 2 * number + 2] where next <= 10_000 { add.value(next) }
            }
            add.value = parts.add
            parts.start()
            add.value = { _ in }
            return heard.all
        }
        #expect(heard == all)
    }

    /// Where a thread adds callbacks that have to wait.
    enum Elsewhere: CaseIterable {
        case callbackOfAnother, callbackThatCompletes, taskRunAtOnce, cancellation
    }

    @Test(arguments: Elsewhere.allCases)
    func `so do those of a future that it adds in other callbacks`(_ place: Elsewhere) async {
        let count = await onThread {
            let (future, other, threads) = (Future<Int>(), Future<Int>(), Log<UInt>())
            let add = { @Sendable in
                for _ in 0..<200 { future.onSuccess(context: immediate) { _ in threads.add(threadNumber()) } }
            }
            switch place {
            case .callbackOfAnother:
                future.success(1)
                other.onSuccess(context: immediate) { _ in add() }
            case .callbackThatCompletes:
                future.onSuccess(context: immediate) { _ in threads.add(threadNumber()) }
                other.onSuccess(context: immediate) { _ in
                    future.success(1)
                    add()
                }
            case .taskRunAtOnce:
                future.onSuccess(context: AtOnce()) { _ in add() }
                other.onSuccess(context: immediate) { _ in future.success(1) }
            case .cancellation:
                future.success(1)
                let token = CancelToken()
                token.onCancel(add)
                other.onSuccess(context: immediate) { _ in token.cancel() }
            }
            other.success(1)
            let here = threadNumber()
            return threads.all.count { $0 == here }
        }
        #expect(count == (place == .callbackThatCompletes ? 201 : 200))
    }

    @Test(arguments: [0, 3])
    func `a thread that subscribes on the immediate context returns, however fast another thread emits`(_ links: Int)
        async
    {
        let promise = StreamPromise<Int>(capacity: 10)
        let (isOver, count, heard, isAtIt) = (Box(false), Box(0), Log<Int>(), Signal())
        async let emitted: Void = onThread {
            while !isOver.value {
                count.change { $0 += 1 }
                promise.success(count.value)
                if count.value == 100 { isAtIt.open() }
            }
        }
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
        await until { heard.last == count.value }
        let all = heard.all
        #expect(!all.isEmpty)
        #expect(all == Array(all[0]..<all[0] + all.count))
        #expect(all.last == count.value)
    }
}
