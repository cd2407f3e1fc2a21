import Dispatch
import SimpleFutures
import Testing

@testable import TestSupport

/// A future or a stream, whose callbacks on a context are called with numbers.
private enum Subject: CaseIterable {
    case future, stream

    /// Calls `body` with 0 on the context, and returns a closure that makes it called with another number.
    func begin(
        on context: any ExecutionContext, _ body: @escaping @Sendable (Int) -> Void
    ) -> (start: @Sendable () -> Void, add: @Sendable (Int) -> Void) {
        switch self {
        case .future:
            let future = Future<Void>()
            future.onSuccess(context: context) { body(0) }
            return ({ future.success() }, { number in future.onSuccess(context: context) { body(number) } })
        case .stream:
            let stream = FutureStream<Int>(capacity: 0)
            stream.onSuccess(context: context, completion: body)
            return ({ stream.success(0) }, { number in stream.success(number) })
        }
    }
}

@Suite("Promise 6: a thread runs the pending callbacks and 64 more, and another thread runs the rest", .watchdog)
struct AllowanceTests {
    @Test(arguments: Subject.allCases)
    private func `callbacks that other threads add beyond that run elsewhere, in order`(_ subject: Subject) async {
        let heard = Log<(number: Int, isHere: Bool)>()
        let (mayGoOn, hasBegun) = (Signal(), Signal())
        let here = Box<UInt>(0)
        let (start, add) = subject.begin(on: immediate) { number in
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
        await onThread {
            here.value = threadNumber()
            start()
            // The system may give the rest to the same thread.
            here.value = 0
        }
        await added
        await until { heard.all.count == 1_001 }
        #expect(heard.all.map(\.number) == Array(0...1_000))
        let countHere = heard.all.count { $0.isHere }
        #expect((1...66).contains(countHere))
    }

    @Test(arguments: Subject.allCases)
    private func `callbacks that the thread adds itself run on that thread`(_ subject: Subject) async {
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

    @Test(arguments: Subject.allCases)
    private func `callbacks for mainImmediate added by other threads run on the main queue`(_ subject: Subject) async {
        let heard = Log<Int>()
        let (mayGoOn, hasBegun) = (Signal(), Signal())
        let parts = subject.begin(on: QueueContext.mainImmediate) { number in
            dispatchPrecondition(condition: .onQueue(.main))
            heard.add(number)
            if number == 0 {
                hasBegun.open()
                #expect(mayGoOn.pass())
            }
        }
        async let added: Void = onThread {
            #expect(hasBegun.pass())
            for number in 1...200 { parts.add(number) }
            mayGoOn.open()
        }
        DispatchQueue.main.async { parts.start() }
        await added
        await until { heard.all.count == 201 }
        #expect(heard.all == Array(0...200))
    }
}

@Suite("Promise 11: wait inside of a callback", .watchdog)
struct WaitInCallbackTests {
    @Test func `it starts no callback after its timeout, however fast another thread registers`() async {
        let future = Future<Void>()
        let starts = Log<DispatchTime>()
        let (hasBegun, hasEnded, isNested) = (Signal(), Box(false), Box(false))
        future.onSuccess(context: immediate) {
            hasBegun.open()
            isNested.value = true
            #expect(throws: FuturesError.timedOut) { try Future<Int>().wait(timeout: .milliseconds(100)) }
            isNested.value = false
            hasEnded.value = true
        }
        let here = Box<UInt>(0)
        async let registered: Void = onThread {
            #expect(hasBegun.pass())
            while !hasEnded.value {
                future.onSuccess(context: immediate) {
                    guard here.value == threadNumber(), isNested.value else { return }
                    starts.add(.now())
                    for _ in 0..<100 { _ = hasEnded.value }
                }
            }
        }
        await onThread {
            here.value = threadNumber()
            future.success()
            here.value = 0
        }
        await registered
        // Its timeout passes at most a tenth of a second after the first of the callbacks.
        let late = starts.all.first.map { first in starts.all.count { $0 > first + .milliseconds(100) } } ?? 0
        #expect(late <= 1)
    }

    @Test func `with a timeout of zero it starts no callback, so that thousands need constant stack`() async {
        await #expect(processExitsWith: .success) {
            let future = Future<Void>()
            let count = Box(0)
            for _ in 0..<10_000 {
                future.onSuccess(context: ImmediateContext()) {
                    count.increment()
                    _ = try? Future<Int>().wait(timeout: .zero)
                }
            }
            await onThread { future.success() }
            precondition(count.value == 10_000)
        }
    }

    @Test(arguments: [true, false])
    func `a callback can wait for a later callback that another thread registers`(isStream: Bool) async {
        let (future, stream, later) = (Future<Void>(), FutureStream<Void>(capacity: 0), Promise<Int>())
        let heard = Log<Int>()
        let wait = { @Sendable in
            if heard.all.isEmpty { heard.add((try? later.future.wait(timeout: .seconds(600))) ?? -1) }
        }
        if isStream {
            stream.onSuccess(context: immediate, completion: wait)
        } else {
            future.onSuccess(context: immediate, completion: wait)
        }
        async let added: Void = onThread {
            while later.future.observerCount == 0 {}
            guard isStream else { return future.onSuccess(context: immediate) { later.success(5) } }
            let token = CancelToken()
            stream.onSuccess(context: immediate, cancelToken: token) { later.success(5) }
            stream.success()
        }
        await onThread { if isStream { stream.success() } else { future.success() } }
        await added
        #expect(heard.all == [5])
    }
}

/// A context that leaves the thread, as the documentation's examples do.
private struct OwnContext: ExecutionContext, Hashable {
    let queue = DispatchQueue(label: "OwnContextTests")

    func execute(_ task: @escaping @Sendable () -> Void) { queue.async(execute: task) }
    static func == (left: Self, right: Self) -> Bool { left.queue === right.queue }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(queue)) }
}

@Suite("Promise 11: a callback that blocks holds up only what comes after it on its own context", .watchdog)
struct BlockingCallbackTests {
    @Test func `a future that a blocking callback has completed delivers to other threads`() async {
        let (first, second) = (Future<Void>(), Future<Void>())
        let (hasCompleted, hasArrived) = (Signal(), Signal())
        // Nothing of the second future is left for the thread that blocks.
        second.onSuccess(context: QueueContext.global) {}
        first.onSuccess(context: immediate) {
            second.success()
            hasCompleted.open()
            #expect(hasArrived.pass())
        }
        async let completed: Void = onThread { first.success() }
        await onThread {
            #expect(hasCompleted.pass())
            second.onSuccess(context: immediate) { hasArrived.open() }
        }
        await completed
    }

    enum Spot: CaseIterable, Sendable {
        case immediate, queue, own

        func make() -> any ExecutionContext {
            switch self {
            case .immediate: ImmediateContext()
            case .queue: DispatchQueue(label: "BlockingCallbackTests")
            case .own: OwnContext()
            }
        }
    }

    @Test(arguments: Spot.allCases, [Spot.queue, .own])
    func `of a future, one that was registered before its end`(blocking: Spot, other: Spot) async {
        let (future, hasRun) = (Future<Int>(), Signal())
        let isHeldUp = Box(true)
        future.onSuccess(context: blocking.make()) { _ in isHeldUp.value = !hasRun.pass() }
        future.onSuccess(context: other.make()) { _ in hasRun.open() }
        await onThread { future.success(1) }
        await until { !isHeldUp.value }
    }

    @Test(arguments: Spot.allCases, [Spot.queue, .own])
    func `of a future, one that is registered after its end`(blocking: Spot, other: Spot) async {
        let (future, hasBegun, hasRun) = (Future<Int>(), Signal(), Signal())
        let isHeldUp = Box(true)
        future.onSuccess(context: blocking.make()) { _ in
            hasBegun.open()
            isHeldUp.value = !hasRun.pass()
        }
        async let completed: Void = onThread { future.success(1) }
        await onThread {
            #expect(hasBegun.pass())
            future.onSuccess(context: other.make()) { _ in hasRun.open() }
        }
        await completed
        await until { !isHeldUp.value }
    }

    @Test func `of a future, one for main that the main thread registers while another thread is in a callback`() async
    {
        let (future, hasBegun, hasRun) = (Future<Int>(), Signal(), Signal())
        let isHeldUp = Box(true)
        future.onSuccess(context: immediate) { _ in
            hasBegun.open()
            isHeldUp.value = !hasRun.pass()
        }
        async let completed: Void = onThread { future.success(1) }
        await onThread { #expect(hasBegun.pass()) }
        await MainActor.run { future.onSuccess(context: QueueContext.mainImmediate) { _ in hasRun.open() } }
        await completed
        #expect(!isHeldUp.value)
    }

    @Test func `what should run at once on main goes there, in order, if another thread delivers by then`() async {
        let (future, heard, hasBegun, mayGoOn) = (Future<Void>(), Log<Int>(), Signal(), Signal())
        future.onSuccess(context: QueueContext.mainImmediate) {
            hasBegun.open()
            #expect(mayGoOn.pass())
            future.onSuccess(context: QueueContext.mainImmediate) {
                dispatchPrecondition(condition: .onQueue(.main))
                heard.add(1)
            }
            future.onSuccess(context: QueueContext.main) { heard.add(2) }
        }
        async let added: Void = onThread {
            #expect(hasBegun.pass())
            for _ in 0..<200 { future.onSuccess(context: immediate) {} }
            mayGoOn.open()
        }
        DispatchQueue.main.async { future.success() }
        await added
        await until { heard.all.count == 2 }
        #expect(heard.all == [1, 2])
    }

    @Test func `a callback that its context runs at once may wait for one that comes after it there`() async {
        let (future, later, heard) = (Future<Int>(), Promise<Int>(), Log<Int>())
        let context = AtOnce()
        future.onSuccess(context: context) { _ in
            heard.add((try? later.future.wait(timeout: .seconds(600))) ?? -1)
        }
        future.onSuccess(context: context) { _ in later.success(5) }
        await onThread { future.success(1) }
        #expect(heard.all == [5])
    }

    @Test func `a callback that its context runs at once may wait again, for what the first wait has not run`() async {
        let (future, promises, heard) = (Future<Void>(), [Promise<Int>(), Promise<Int>()], Log<Int>())
        let context = AtOnce()
        future.onSuccess(context: context) {
            for promise in promises { heard.add((try? promise.future.wait(timeout: .seconds(600))) ?? -1) }
        }
        for (number, promise) in promises.enumerated() {
            future.onSuccess(context: context) { promise.success(number) }
        }
        await onThread { future.success() }
        #expect(heard.all == [0, 1])
    }

    @Test func `after two nested waits, a thread leaves the callbacks to the one that runs them by now`() async {
        let (future, outer, inner) = (Future<Void>(), Promise<Void>(), Promise<Void>())
        let (heard, mayEnd, context) = (Log<Int>(), Signal(), AtOnce())
        future.onSuccess(context: context) { try? outer.future.wait(timeout: .seconds(600)) }
        future.onSuccess(context: context) { try? inner.future.wait(timeout: .seconds(600)) }
        async let added: Void = onThread {
            while inner.future.observerCount == 0 {}
            future.onSuccess(context: context) {
                outer.success()
                inner.success()
                #expect(mayEnd.pass())
                heard.add(1)
            }
        }
        await onThread {
            future.success()
            future.onSuccess(context: context) { heard.add(2) }
            #expect(heard.all == [])
            mayEnd.open()
        }
        await added
        await until { heard.all.count == 2 }
        #expect(heard.all == [1, 2])
    }
}

/// A context that runs its task inside of `execute`.
private struct AtOnce: ExecutionContext, Hashable {
    func execute(_ task: @escaping @Sendable () -> Void) { task() }
}
