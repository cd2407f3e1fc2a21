import Dispatch
import Foundation
import SimpleFutures
import Testing
@testable import TestSupport

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

    @Test func `a stream that has delivered all elements during a wait delivers to other threads afterwards`() async {
        let (stream, last) = (FutureStream<Int>(capacity: 0), Promise<Int>())
        let (hasWaited, hasArrived) = (Signal(), Signal())
        stream.onSuccess(context: immediate) { if $0 == 1 { last.success(1) } else { hasArrived.open() } }
        async let completed: Void = onThread {
            inCallback {
                stream.success(1)
                #expect(last.future.awaitedValue == 1)
                hasWaited.open()
                #expect(hasArrived.pass())
            }
        }
        await onThread {
            #expect(hasWaited.pass())
            stream.success(2)
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

    @Test(arguments: Spot.allCases, [(Spot.queue, true), (.queue, false), (.own, true), (.own, false)])
    func `of a future, one that is registered before or after its end`(
        blocking: Spot, other: (spot: Spot, isLate: Bool)
    ) async {
        let (future, hasBegun, hasRun, isHeldUp) = (Future<Int>(), Signal(), Signal(), Box(true))
        let register = { @Sendable in future.onSuccess(context: other.spot.make()) { _ in hasRun.open() } }
        future.onSuccess(context: blocking.make()) { _ in
            hasBegun.open()
            isHeldUp.value = !hasRun.pass()
        }
        if !other.isLate { register() }
        async let completed: Void = onThread { future.success(1) }
        await onThread {
            #expect(hasBegun.pass())
            if other.isLate { register() }
        }
        await completed
        await until { !isHeldUp.value }
    }

    @Test func `of a future, one for main that the main thread registers while another thread is in a callback`() async
    {
        let (future, hasBegun, hasRun, isHeldUp) = (Future<Int>(), Signal(), Signal(), Box(true))
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

    @Test func `of a future, one for main that is registered after one that has run at once on main`() async {
        let (future, hasBegun, hasRun, isHeldUp) = (Future<Int>(), Signal(), Signal(), Box(true))
        future.onSuccess(context: QueueContext.mainImmediate) { _ in }
        await MainActor.run { future.success(1) }
        async let registered: Void = onThread {
            future.onSuccess(context: immediate) { _ in
                hasBegun.open()
                isHeldUp.value = !hasRun.pass()
            }
        }
        await onThread {
            #expect(hasBegun.pass())
            future.onSuccess(context: QueueContext.main) { _ in hasRun.open() }
        }
        await registered
        #expect(!isHeldUp.value)
    }

    @Test func `of a future, one for main that a callback registers after a wait, in which another thread came`() async
    {
        let (future, promise) = (Future<Void>(), Promise<Void>())
        let (hasBegun, hasRun, isHeldUp, isOver) = (Signal(), Signal(), Box(true), Box(false))
        future.onSuccess(context: QueueContext.mainImmediate) {
            #expect(throws: Never.self) { try promise.future.wait(timeout: .seconds(600)) }
            #expect(hasBegun.pass())
            future.onSuccess(context: QueueContext.mainImmediate) { hasRun.open() }
        }
        async let other: Void = onThread {
            let here = threadNumber()
            // Until main waits, and has nothing left to deliver.
            while !isOver.value {
                future.onSuccess(context: immediate) { if threadNumber() == here { isOver.value = true } }
            }
            promise.success()
            future.onSuccess(context: immediate) {
                hasBegun.open()
                isHeldUp.value = !hasRun.pass()
            }
        }
        DispatchQueue.main.async { future.success() }
        await other
        #expect(!isHeldUp.value)
    }

    @Test(arguments: [(true, Spot.queue), (false, .queue), (false, .own)])
    func `of a stream, one elsewhere that was registered after one that the emitting thread runs`(
        isAtOnce: Bool, other: Spot
    ) async {
        let (stream, hasRun, isHeldUp) = (FutureStream<Int>(capacity: 0), Signal(), Box(true))
        let context: any ExecutionContext = isAtOnce ? AtOnce() : immediate
        stream.onSuccess(context: context) { _ in isHeldUp.value = !hasRun.pass() }
        stream.onSuccess(context: other.make()) { _ in hasRun.open() }
        await onThread { stream.success(1) }
        #expect(!isHeldUp.value)
    }

    @Test func `what should run at once on main goes there, in order, if another thread delivers by then`() async {
        let (future, heard, hasBegun, mayGoOn) = (Future<Void>(), Log<Int>(), Signal(), Signal())
        let (haveLeft, isHere) = (Signal(), Box(false))
        future.onSuccess(context: QueueContext.mainImmediate) {
            hasBegun.open()
            #expect(mayGoOn.pass())
            future.onSuccess(context: QueueContext.mainImmediate) {
                dispatchPrecondition(condition: .onQueue(.main))
                heard.add(1)
            }
            future.onSuccess(context: QueueContext.main) { heard.add(2) }
            future.onSuccess(context: immediate) { haveLeft.open() }
        }
        async let added: Void = onThread {
            #expect(hasBegun.pass())
            for _ in 0..<200 { future.onSuccess(context: immediate) {} }
            mayGoOn.open()
        }
        DispatchQueue.main.async { future.success() }
        // Runs while the first two are on their way, and no other thread delivers any more.
        DispatchQueue.main.async {
            #expect(haveLeft.pass())
            // One at a time, because more would keep the other thread delivering.
            while !isHere.value {
                let hasRun = Signal()
                future.onSuccess(context: immediate) {
                    isHere.value = MainQueue.isCurrent
                    hasRun.open()
                }
                #expect(hasRun.pass())
            }
            future.onSuccess(context: QueueContext.mainImmediate) { heard.add(3) }
        }
        await added
        await until { heard.count == 3 }
        #expect(heard.all == [1, 2, 3])
    }

    @Test(arguments: [true, false])
    func `a callback that its context runs at once may wait twice for what comes after it`(isLaterAtOnce: Bool) async {
        let (future, promises, heard) = (Future<Void>(), [Promise<Int>(), Promise<Int>()], Log<Int>())
        let later: any ExecutionContext = isLaterAtOnce ? AtOnce() : immediate
        future.onSuccess(context: AtOnce()) { for promise in promises { heard.add(promise.future.awaitedValue) } }
        for (number, promise) in promises.enumerated() {
            future.onSuccess(context: later) { promise.success(number) }
        }
        await onThread { future.success() }
        #expect(heard.all == [0, 1])
    }

    @Test func `after two nested waits, a thread does not deliver what another thread has begun`() async {
        let (future, outer, inner) = (Future<Void>(), Promise<Void>(), Promise<Void>())
        let (heard, mayEnd) = (Log<Int>(), Signal())
        future.onSuccess(context: AtOnce()) { try? outer.future.wait(timeout: .seconds(600)) }
        future.onSuccess(context: AtOnce()) { try? inner.future.wait(timeout: .seconds(600)) }
        async let added: Void = onThread {
            while inner.future.observerCount == 0 {}
            future.onSuccess(context: AtOnce()) {
                outer.success()
                inner.success()
                #expect(mayEnd.pass())
                heard.add(1)
            }
        }
        await onThread {
            future.success()
            future.onSuccess(context: AtOnce()) { heard.add(2) }
            #expect(heard.all == [])
            mayEnd.open()
        }
        await added
        await until { heard.count == 2 }
        #expect(heard.all == [1, 2])
    }

    @Test func `a callback can wait for an element that a wait in another callback has left`() async {
        let (stream, inner, heard) = (FutureStream<Int>(capacity: 0), Future<Void>(), Log<Int>())
        let (last, first, second) = (Promise<Int>(), Promise<Int>(), Promise<Int>())
        let (hasBegun, hasLeft, hasGoneOn, hasReturned) = (Signal(), Signal(), Signal(), Signal())
        stream.onSuccess(context: immediate) {
            guard $0 == 0 else { return }
            inner.success()
            heard.add(last.future.awaitedValue)
        }
        // On the other thread: the wait leaves the element 2, and the thread to which the callback returns does not
        // deliver it, because this thread has begun to.
        stream.onSuccess(context: immediate) {
            guard $0 == 1 else { return }
            stream.success(2)
            #expect(first.future.awaitedValue == 1)
            hasLeft.open()
            #expect(hasGoneOn.pass())
        }
        stream.onSuccess(context: immediate) {
            if $0 == 1 { first.success(1) }
            if $0 == 3 { last.success(3) }
            guard $0 == 2 else { return }
            hasGoneOn.open()
            #expect(hasReturned.pass())
            stream.success(3)
            second.success(2)
        }
        inner.onSuccess(context: immediate) {
            hasBegun.open()
            #expect(hasLeft.pass())
            #expect(second.future.awaitedValue == 2)
        }
        async let emitted: Void = onThread {
            #expect(hasBegun.pass())
            stream.success(1)
            hasReturned.open()
        }
        await onThread { stream.success(0) }
        await emitted
        #expect(heard.all == [3])
        stream.finish()
    }
}
