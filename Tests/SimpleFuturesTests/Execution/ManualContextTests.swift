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

@Suite("ManualContext: time", .watchdog)
struct ManualContextTimeTests {
    private let context = ManualContext()

    @Test func `each timer runs when it is due, at its own time`() {
        let log = Log<Duration>()
        for seconds in [5, 2, 9] { context.execute(after: .seconds(seconds)) { log.add(context.now) } }
        #expect(context.timerCount == 3)
        #expect(context.pendingCount == 3)
        context.advance(by: .milliseconds(1_999))
        #expect(log.all == [])
        context.advance(by: .milliseconds(1))
        #expect(log.all == [.seconds(2)])
        #expect(context.now == .seconds(2))
        context.advance(by: .seconds(20))
        #expect(log.all == [.seconds(2), .seconds(5), .seconds(9)])
        #expect(context.now == .seconds(22))
        #expect(context.timerCount == 0)
        #expect(context.pendingCount == 0)
    }

    @Test func `timers run in the order of their deadlines, then of their creation`() {
        let log = Log<String>()
        for name in ["3a", "1a", "2a", "1b", "3b", "2b", "0", "-1"] {
            let seconds = Int(name.filter { !$0.isLetter }) ?? 0
            context.execute(after: .seconds(seconds)) { log.add(name) }
        }
        context.advance(by: .seconds(3))
        #expect(log.all == ["0", "-1", "1a", "1b", "2a", "2b", "3a", "3b"])
    }

    @Test func `tasks and timers added by a timer run at their time, in the same advance if that reaches it`() {
        let log = Log<String>()
        context.execute(after: .seconds(1)) {
            log.add("one")
            context.execute { log.add("task at \(context.now)") }
            for seconds in 1...3 { context.execute(after: .seconds(seconds)) { log.add("nested at \(context.now)") } }
        }
        context.execute(after: .seconds(3)) { log.add("three") }
        context.advance(by: .milliseconds(3_999))
        #expect(
            log.all == ["one", "task at 1.0 seconds", "nested at 2.0 seconds", "three", "nested at 3.0 seconds"])
        context.advance(by: .milliseconds(1))
        #expect(log.all.last == "nested at 4.0 seconds")
    }

    @Test func `waiting tasks run before time passes, timers only in advance, also by zero`() {
        let log = Log<String>()
        #expect(context.now == .zero)
        context.execute(after: .zero) { log.add("timer at \(context.now)") }
        context.execute(after: .nanoseconds(1)) { log.add("later timer") }
        #expect(context.run() == 0)
        #expect(context.now == .zero)
        #expect(context.pendingCount == 2)
        context.advance(by: .zero)
        #expect(log.all == ["timer at 0.0 seconds"])
        #expect(context.now == .zero)
        context.execute { log.add("task at \(context.now)") }
        context.advance(by: .seconds(1))
        #expect(log.all == ["timer at 0.0 seconds", "task at 0.0 seconds", "later timer"])
    }

    @Test func `a wait for tasks or timers that is given up is no programmer error`() {
        let site = CreationSite(fileID: #fileID, line: #line)
        Reports.during { reports in
            let context = ManualContext()
            _ = context.pending(line: UInt(site.line))
            _ = context.timers(line: UInt(site.line))
            context.execute {}
            #expect(reports.about(site) == [])
        }
    }

    @Test func `a canceled timer does not run, and is released at once`() {
        let log = Log<Int>()
        var first = Registration()
        let watch = Watch { probe in
            first = context.execute(after: .seconds(1)) {
                probe.use()
                log.add(1)
            }
        }
        let second = context.execute(after: .seconds(1)) { log.add(2) }
        #expect(!watch.isReleased)
        #expect(first.cancel())
        #expect(watch.isReleased)
        #expect(!first.cancel())
        #expect(context.timerCount == 1)
        context.advance(by: .seconds(1))
        #expect(log.all == [2])
        #expect(!second.cancel())
    }

    @Test func `a timer can be canceled by an earlier one with the same deadline`() {
        let log = Log<Int>()
        let second = Box(Registration())
        context.execute(after: .seconds(1)) { if second.value.cancel() { log.add(1) } }
        second.value = context.execute(after: .seconds(1)) { log.add(2) }
        context.advance(by: .seconds(1))
        #expect(log.all == [1])
    }

    @Test func `a registration does not keep the context alive`() {
        var context: ManualContext? = ManualContext()
        weak let weakContext = context
        let registration = context?.execute(after: .seconds(1)) {}
        context = nil
        #expect(weakContext == nil)
        #expect(registration?.cancel() == false)
    }

    @Test func `many timers fire in order, even if most are canceled`() {
        let log = Log<Int>()
        let registrations = (0..<1000).map { number in
            let deadline = (number * 7919) % 1000
            return context.execute(after: .milliseconds(deadline)) { log.add(deadline) }
        }
        for (index, registration) in registrations.enumerated() where index % 10 != 0 {
            #expect(registration.cancel())
        }
        #expect(context.timerCount == 100)
        context.advance(by: .seconds(1))
        #expect(log.count == 100)
        #expect(log.all == log.all.sorted())
    }

    @Test func `a task can advance the time`() {
        let log = Log<String>()
        context.execute(after: .seconds(1)) {
            context.advance(by: .seconds(5))
            log.add("outer at \(context.now)")
        }
        context.execute(after: .seconds(4)) { log.add("inner at \(context.now)") }
        context.advance(by: .seconds(2))
        #expect(log.all == ["inner at 4.0 seconds", "outer at 6.0 seconds"])
        #expect(context.now == .seconds(6))
    }
}
