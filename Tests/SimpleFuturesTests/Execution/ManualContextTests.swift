import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("ManualContext: tasks", .watchdog)
struct ManualContextTests {
    private let context = ManualContext()
    private let log = Log<Int>()

    @Test func `tasks wait for run or runNext, and run in order`() {
        #expect(context.pendingCount == 0 && context.timerCount == 0)
        #expect(context.run() == 0)
        #expect(!context.runNext())
        for number in 1...4 { context.execute { log.add(number) } }
        #expect(context.pendingCount == 4)
        #expect(log.count == 0)
        #expect(context.runNext())
        #expect(log.all == [1])
        #expect(context.run() == 3)
        #expect(log.all == [1, 2, 3, 4])
        #expect(context.pendingCount == 0)
        #expect(!context.runNext())
    }

    @Test func `run also runs and counts tasks added while it runs`() {
        context.execute {
            log.add(1)
            context.execute {
                log.add(3)
                context.execute { log.add(4) }
            }
        }
        context.execute { log.add(2) }
        #expect(context.run() == 4)
        #expect(log.all == [1, 2, 3, 4])
    }

    @Test func `a task can run the others`() {
        context.execute {
            #expect(context.run() == 1)
            log.add(1)
        }
        context.execute { log.add(2) }
        #expect(context.run() == 1)
        #expect(log.all == [2, 1])
    }

    @Test func `tasks run on the calling thread`() async {
        let serial = SerialContext()
        let here = Future(value: ()).map(context: context) { serial.isCurrent }
        await withCheckedContinuation { done in
            serial.execute {
                context.run()
                done.resume()
            }
        }
        #expect(here.ended == .success(true))
    }

    @Test func `many tasks are run in order`() {
        for round in 0..<3 {
            for number in 0..<2000 { context.execute { log.add(round * 2000 + number) } }
            if round < 2 { for _ in 0..<1500 { context.runNext() } }
        }
        context.run()
        #expect(log.all == Array(0..<6000))
    }
}

@Suite("ManualContext: waiting for tasks and timers", .watchdog)
struct ManualContextWaitTests {
    private let context = ManualContext()

    @Test func `existing tasks complete it at once, otherwise the last of the given number`() {
        #expect(context.pending(atLeast: 0).completed)
        let (two, timer) = (context.pending(atLeast: 2), context.timers())
        context.execute {}
        #expect(context.pending().completed)
        #expect(!context.timers().completed)
        #expect(!two.completed && !timer.completed)
        context.execute(after: .seconds(1)) {}
        #expect(two.completed && timer.completed)
        #expect(context.timers().completed)
        #expect(context.pending(atLeast: 2).completed)
    }

    @Test func `tasks that have run or were canceled do not count`() {
        let two = context.timers(atLeast: 2)
        context.execute(after: .seconds(1)) {}
        context.advance(by: .seconds(1))
        context.execute(after: .seconds(1)) {}.cancel()
        context.execute(after: .seconds(1)) {}
        #expect(!two.completed)
        context.execute(after: .seconds(1)) {}
        #expect(two.completed)
    }

    @Test func `several futures are completed in the order of their creation`() {
        let log = Log<Int>()
        for number in 1...3 {
            context.timers(atLeast: number == 2 ? 2 : 1).onSuccess(context: immediate) { log.add(number) }
        }
        context.execute(after: .zero) {}
        #expect(log.all == [1, 3])
        context.execute(after: .zero) {}
        #expect(log.all == [1, 3, 2])
    }

    @Test func `its callback can use the context`() {
        let log = Log<Int>()
        context.pending().onSuccess(context: immediate) { log.add(context.run()) }
        context.execute {}
        #expect(log.all == [1])
    }

    @Test func `releasing the context breaks it, and the error names the line`() {
        var context: ManualContext? = ManualContext()
        let line: UInt = #line + 1
        let timer = context!.timers()
        context = nil
        #expect(timer.result?.error as? FuturesError == .brokenPromise(createdAt: CreationSite(line: line)))
    }

    @Test func `a wait that is given up leaves nothing behind, one with a callback is kept`() {
        let (kept, log) = (Box<AnyFuture?>(nil), Log<Int>())
        weak var dropped: Future<Void>?
        do {
            let wait = context.pending(atLeast: 2)
            dropped = wait
            kept.value = wait
        }
        context.timers(atLeast: 1).onSuccess(context: immediate) { log.add(1) }
        #expect(dropped != nil)
        kept.value = nil
        #expect(dropped == nil)
        context.execute(after: .zero) {}
        #expect(log.all == [1])
    }

    @Test func `many threads complete it once`() {
        let all = context.pending(atLeast: 400)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in for _ in 0..<100 { context.execute {} } }
        #expect(all.completed)
        #expect(context.run() == 400)
    }
}
