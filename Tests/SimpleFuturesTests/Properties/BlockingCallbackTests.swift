import Dispatch
import Foundation
import SimpleFutures
import Testing

@testable import TestSupport

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

    /// What a thread has yet to run when one of its callbacks waits.
    enum Rest: CaseIterable {
        /// Later callbacks of the same future.
        case callbacks
        /// Elements of the same stream, for another subscriber.
        case elements
        /// Callbacks of a future that the waiting callback has completed; on a context that runs them at once.
        case completed, completedAtOnce
        /// Elements that the waiting callback has emitted; the end of a stream that it has finished.
        case emitted, finished
    }

    @Test(arguments: Rest.allCases)
    func `it starts no callback after its timeout, and the rest runs afterwards`(_ rest: Rest) async {
        let (heard, countAtTimeout) = (Log<Int>(), Box(0))
        let (first, second) = (Future<Void>(), Future<Void>())
        let (numbers, emitted) = (FutureStream<Int>(capacity: 0), FutureStream<Int>(capacity: 0))
        let slow = { @Sendable (number: Int) in
            heard.add(number)
            Thread.sleep(forTimeInterval: 0.04)
        }
        let wait = { @Sendable in
            #expect(throws: FuturesError.timedOut) { try Future<Int>().wait(timeout: .milliseconds(60)) }
            countAtTimeout.value = heard.all.count
        }
        first.onSuccess(context: immediate) {
            for number in 0..<5 {
                if rest == .elements { numbers.success(number) }
                if rest == .emitted { emitted.success(number) }
            }
            second.success()
            emitted.finish()
            if rest != .elements { wait() }
        }
        numbers.onSuccess(context: immediate) { if $0 == 0 { wait() } }
        numbers.onSuccess(context: immediate, completion: slow)
        emitted.onSuccess(context: immediate, completion: slow)
        for number in 0..<5 {
            switch rest {
            case .callbacks: first.onSuccess(context: immediate) { slow(number) }
            case .completed: second.onSuccess(context: immediate) { slow(number) }
            case .completedAtOnce: second.onSuccess(context: AtOnce()) { slow(number) }
            case .finished: emitted.onFinish(context: immediate) { slow(number) }
            case .elements, .emitted: break
            }
        }
        await onThread { first.success() }
        #expect(countAtTimeout.value <= 2)
        #expect(heard.all == Array(0..<5))
    }

    @Test func `what nested waits have left runs after the outer one, even if that is over first`() async {
        let (outer, future, inner) = (Future<Void>(), Future<Void>(), Promise<Void>())
        let heard = Log<Int>()
        future.onSuccess(context: AtOnce()) {
            try? inner.future.wait()
            heard.add(1)
            // Longer than the outer wait.
            Thread.sleep(forTimeInterval: 0.2)
        }
        future.onSuccess(context: AtOnce()) { inner.success() }
        future.onSuccess(context: AtOnce()) { heard.add(2) }
        outer.onSuccess(context: immediate) {
            future.success()
            _ = try? Future<Void>().wait(timeout: .milliseconds(100))
        }
        await onThread { outer.success() }
        #expect(heard.all == [1, 2])
    }

    @Test func `a derived future that needs no code of the user's ends, even if the wait is over before`() async {
        let (outer, future) = (Future<Void>(), Future<Int>())
        future.onFailure(context: immediate) { _ in }
        let derived = future.map(context: AtOnce()) { $0 }
        outer.onSuccess(context: immediate) {
            future.failure(Failure())
            future.onFailure(context: AtOnce()) { _ in Thread.sleep(forTimeInterval: 0.2) }
            _ = try? Future<Void>().wait(timeout: .milliseconds(100))
        }
        await onThread { outer.success() }
        #expect(derived.result?.error is Failure)
    }

    @Test func `what a wait has left of a future runs before a future that was completed later`() async {
        let (outer, first, second, heard) = (Future<Void>(), Future<Void>(), Future<Void>(), Log<Int>())
        for number in 0..<3 {
            first.onSuccess(context: immediate) {
                heard.add(number)
                Thread.sleep(forTimeInterval: 0.04)
            }
        }
        second.onSuccess(context: immediate) { heard.add(3) }
        outer.onSuccess(context: immediate) {
            first.success()
            second.success()
            _ = try? Future<Void>().wait(timeout: .milliseconds(60))
        }
        await onThread { outer.success() }
        #expect(heard.all == Array(0...3))
    }

    @Test func `the callbacks that an element has caused run before the next element, after a wait as well`() async {
        let (outer, stream, caused) = (Future<Void>(), FutureStream<Int>(capacity: 0), Future<Void>())
        let heard = Log<Int>()
        caused.onSuccess(context: immediate) { heard.add(-1) }
        stream.onSuccess(context: immediate) {
            heard.add($0)
            guard $0 == 1 else { return }
            caused.success()
            Thread.sleep(forTimeInterval: 0.2)
        }
        outer.onSuccess(context: immediate) {
            stream.success(1)
            stream.success(2)
            _ = try? Future<Void>().wait(timeout: .milliseconds(100))
        }
        await onThread { outer.success() }
        #expect(heard.all == [1, -1, 2])
    }

    @Test(arguments: [true, false])
    func `runPending returns even if another thread emits without a pause`(isQueue: Bool) async {
        let (stream, hasBegun, hasReturned) = (FutureStream<Int>(capacity: 0), Signal(), Box(false))
        let context: any ExecutionContext = isQueue ? OwnContext().queue : immediate
        stream.onSuccess(context: context) {
            guard $0 == 0 else { return }
            hasBegun.open()
            Thread.sleep(forTimeInterval: 0.01)
            ImmediateContext.runPending()
            hasReturned.value = true
        }
        // Slower than the other thread.
        stream.onSuccess(context: context) { _ in for _ in 0..<100 { _ = hasReturned.value } }
        async let emitted: Void = onThread {
            #expect(hasBegun.pass())
            while !hasReturned.value { stream.success(1) }
        }
        await onThread { stream.success(0) }
        await emitted
    }

    @Test(arguments: [true, false])
    func `on a queue of its own it runs as many elements as it needs`(isQueue: Bool) async {
        let (stream, later, heard) = (FutureStream<Int>(capacity: 0), Promise<Int>(), Log<Int>())
        let own = OwnContext()
        let context: any ExecutionContext = isQueue ? own.queue : own
        own.queue.suspend()
        stream.onSuccess(context: context) {
            if $0 == 0 { heard.add((try? later.future.wait(timeout: .seconds(20))) ?? -1) }
        }
        stream.onSuccess(context: context) { if $0 == 200 { later.success(5) } }
        for number in 0...300 { stream.success(number) }
        own.queue.resume()
        await until { !heard.all.isEmpty }
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

    @Test func `a callback that its context runs at once may wait for one that comes after it on the thread`() async {
        let (future, later, heard) = (Future<Void>(), Promise<Int>(), Log<Int>())
        future.onSuccess(context: AtOnce()) { heard.add((try? later.future.wait(timeout: .seconds(20))) ?? -1) }
        future.onSuccess(context: immediate) { later.success(5) }
        await onThread { future.success() }
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

    @Test func `after two nested waits, a thread does not deliver what another thread has begun`() async {
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

    @Test func `elements that a wait leaves run on their context, if that runs its tasks at once`() async {
        let (outer, stream) = (Future<Void>(), FutureStream<Int>(capacity: 0))
        let (first, second) = (Promise<Void>(), Promise<Void>())
        let (isInside, heard) = (Box(false), Log<Bool>())
        let context = Marking(isInside: isInside)
        second.future.onSuccess(context: immediate) { first.success() }
        stream.onSuccess(context: context) {
            heard.add(isInside.value)
            if $0 == 0 { try? first.future.wait() }
        }
        stream.onSuccess(context: context) {
            heard.add(isInside.value)
            if $0 == 0 { second.success() }
        }
        outer.onSuccess(context: immediate) { for number in 0..<2 { stream.success(number) } }
        await onThread { outer.success() }
        #expect(heard.all == [true, true, true, true])
    }
}

/// A context that runs its task inside of `execute`, and says so.
private struct Marking: ExecutionContext, Hashable {
    let isInside: Box<Bool>

    func execute(_ task: @escaping @Sendable () -> Void) {
        isInside.value = true
        task()
        isInside.value = false
    }

    static func == (left: Self, right: Self) -> Bool { left.isInside === right.isInside }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(isInside)) }
}

/// A context that runs its task inside of `execute`.
private struct AtOnce: ExecutionContext, Hashable {
    func execute(_ task: @escaping @Sendable () -> Void) { task() }
}
