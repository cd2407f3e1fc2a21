import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("QueueContext.mainImmediate", .watchdog)
struct MainImmediateTests {
    private static let context = QueueContext.mainImmediate

    @Test func `on the main queue a callback runs at once`() async {
        let seen = await onMain {
            let log = Log<Int>()
            let future = Future<Int>()
            future.onSuccess(context: Self.context) { log.add($0) }
            future.success(1)
            future.onSuccess(context: Self.context) { log.add($0 + 1) }
            return log.all
        }
        #expect(seen == [1, 2])
    }

    @Test func `from another thread a callback is dispatched to the main queue`() async {
        let onMainQueue = Future(value: ()).map(context: Self.context) { MainQueue.isCurrent }
        #expect(await onMainQueue.end() == .success(true))
    }

    @Test func `it does not overtake callbacks of the same future on their way to main`() async {
        let log = Log<Int>()
        let early = await onMain {
            let future = Future(value: ())
            future.onSuccess(context: QueueContext.main) { log.add(1) }
            future.onSuccess(context: Self.context) { log.add(2) }
            future.onSuccess(context: DispatchQueue.main) { log.add(3) }
            future.onSuccess(context: Self.context) { log.add(4) }
            return log.all
        }
        #expect(early == [])
        await onMain {}
        #expect(log.all == [1, 2, 3, 4])
    }

    @Test func `it does not wait for callbacks of other futures`() async {
        let log = Log<Int>()
        await onMain {
            Future(value: ()).onSuccess(context: QueueContext.main) { log.add(1) }
            Future(value: ()).onSuccess(context: Self.context) { log.add(2) }
        }
        await onMain {}
        #expect(log.all == [2, 1])
    }

    @Test func `once the main queue has run the future's callbacks, new ones run at once again`() async {
        let future = Future(value: ())
        let log = Log<Int>()
        await onMain { future.onSuccess(context: QueueContext.main) { log.add(1) } }
        await onMain {
            future.onSuccess(context: Self.context) { log.add(2) }
            log.add(3)
        }
        #expect(log.all == [1, 2, 3])
    }

    @Test func `mainImmediate does not wait for a callback that was canceled on its way to main`() async {
        let token = CancelToken()
        let log = Log<Int>()
        await onMain {
            let future = Future(value: ())
            future.onSuccess(context: QueueContext.main, cancelToken: token) { log.add(1) }
            token.cancel()
            future.onSuccess(context: Self.context) { log.add(2) }
            log.add(3)
        }
        await onMain {}
        #expect(log.all == [2, 3])
    }

    @Test func `execute runs a task at once on the main queue, or dispatches it there`() async {
        let log = Log<Int>()
        await onMain {
            Self.context.execute { log.add(1) }
            log.add(2)
        }
        #expect(log.all == [1, 2])
        await withCheckedContinuation { done in Self.context.execute { done.resume() } }
    }

    @Test func `on the main actor a callback runs at once`() async {
        let seen = await MainActor.run {
            let log = Log<Int>()
            Future(value: 1).onSuccess(context: Self.context) { log.add($0) }
            return log.all
        }
        #expect(seen == [1])
    }
}
