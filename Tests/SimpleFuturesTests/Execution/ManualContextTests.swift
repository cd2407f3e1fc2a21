import SimpleFutures
import Testing
@testable import TestSupport

@Suite("ManualContext: tasks", .watchdog)
struct ManualContextTests {
    @Test func `a new context has no tasks, and its time is zero`() {
        let context = ManualContext()
        #expect(context.pendingCount == 0)
        #expect(context.timerCount == 0)
        #expect(context.now == .zero)
        #expect(context.run() == 0)
        #expect(!context.runNext())
    }

    @Test func `tasks wait for run, and run in order`() {
        let context = ManualContext()
        let log = Log<Int>()
        for number in 1...3 { context.execute { log.add(number) } }
        #expect(context.pendingCount == 3)
        #expect(log.count == 0)
        #expect(context.run() == 3)
        #expect(log.all == [1, 2, 3])
        #expect(context.pendingCount == 0)
    }

    @Test func `run also runs and counts tasks added while it runs`() {
        let context = ManualContext()
        let log = Log<Int>()
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

    @Test func `runNext runs one`() {
        let context = ManualContext()
        let log = Log<Int>()
        for number in 1...2 { context.execute { log.add(number) } }
        #expect(context.runNext())
        #expect(log.all == [1])
        #expect(context.runNext())
        #expect(!context.runNext())
        #expect(log.all == [1, 2])
    }

    @Test func `a task can run the others`() {
        let context = ManualContext()
        let log = Log<Int>()
        context.execute {
            #expect(context.run() == 1)
            log.add(1)
        }
        context.execute { log.add(2) }
        #expect(context.run() == 1)
        #expect(log.all == [2, 1])
    }

    @Test func `run does not advance the time`() {
        let context = ManualContext()
        let log = Log<Int>()
        context.execute(after: .zero) { log.add(1) }
        #expect(context.run() == 0)
        #expect(context.now == .zero)
        #expect(context.pendingCount == 1)
    }

    @Test func `tasks run on the calling thread`() async {
        let context = ManualContext()
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
        let context = ManualContext()
        let log = Log<Int>()
        for round in 0..<3 {
            for number in 0..<2000 { context.execute { log.add(round * 2000 + number) } }
            if round < 2 { for _ in 0..<1500 { context.runNext() } }
        }
        context.run()
        #expect(log.all == Array(0..<6000))
    }

    @Test func `tasks that never run are released with the context`() {
        let watch = Watch { probe in
            let context = ManualContext()
            context.execute { probe.use() }
            context.execute(after: .seconds(1)) { probe.use() }
        }
        #expect(watch.isReleased)
    }

    @Test func `futures that depend on tasks released with the context are broken`() {
        var context: ManualContext? = ManualContext()
        let derived = Future(value: 1).map(context: context ?? ManualContext()) { $0 }
        let delayed = Future(value: 1).delay(.seconds(1), context: context ?? ManualContext())
        #expect(derived.ended == .pending)
        #expect(delayed.ended == .pending)
        context = nil
        #expect(derived.ended == .broken)
        #expect(delayed.ended == .broken)
    }
}
