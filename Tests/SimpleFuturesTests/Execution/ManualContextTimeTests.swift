import SimpleFutures
import Testing
@testable import TestSupport

@Suite("ManualContext: time", .watchdog)
struct ManualContextTimeTests {
    @Test func `timers run when they are due`() {
        let context = ManualContext()
        let log = Log<Int>()
        context.execute(after: .seconds(2)) { log.add(2) }
        #expect(context.timerCount == 1)
        #expect(context.pendingCount == 1)
        context.advance(by: .seconds(1))
        #expect(log.all == [])
        context.advance(by: .seconds(1))
        #expect(log.all == [2])
        #expect(context.timerCount == 0)
        #expect(context.pendingCount == 0)
        #expect(context.now == .seconds(2))
    }

    @Test func `timers run in the order of their deadlines, then of their creation`() {
        let context = ManualContext()
        let log = Log<String>()
        for name in ["3a", "1a", "2a", "1b", "3b", "2b", "0", "-1"] {
            let seconds = Int(name.filter { !$0.isLetter }) ?? 0
            context.execute(after: .seconds(seconds)) { log.add(name) }
        }
        context.advance(by: .seconds(3))
        #expect(log.all == ["0", "-1", "1a", "1b", "2a", "2b", "3a", "3b"])
    }

    @Test func `each timer runs at its own time`() {
        let context = ManualContext()
        let log = Log<Duration>()
        for seconds in [5, 2, 9] { context.execute(after: .seconds(seconds)) { log.add(context.now) } }
        context.advance(by: .seconds(20))
        #expect(log.all == [.seconds(2), .seconds(5), .seconds(9)])
        #expect(context.now == .seconds(20))
    }

    @Test func `tasks added by a timer run at its time, before later timers`() {
        let context = ManualContext()
        let log = Log<String>()
        context.execute(after: .seconds(1)) {
            log.add("one")
            context.execute { log.add("task at \(context.now)") }
            context.execute(after: .seconds(1)) { log.add("nested at \(context.now)") }
        }
        context.execute(after: .seconds(3)) { log.add("three") }
        context.advance(by: .seconds(3))
        #expect(log.all == ["one", "task at 1.0 seconds", "nested at 2.0 seconds", "three"])
    }

    @Test func `a timer added during advance runs if the new time reaches it`() {
        let context = ManualContext()
        let log = Log<Int>()
        context.execute(after: .seconds(1)) { context.execute(after: .seconds(1)) { log.add(2) } }
        context.advance(by: .milliseconds(1999))
        #expect(log.count == 0)
        context.advance(by: .milliseconds(1))
        #expect(log.all == [2])
    }

    @Test func `waiting tasks run before time passes`() {
        let context = ManualContext()
        let log = Log<Duration>()
        context.execute { log.add(context.now) }
        context.advance(by: .seconds(1))
        #expect(log.all == [.zero])
    }

    @Test func `advancing by zero runs what is due`() {
        let context = ManualContext()
        let log = Log<Int>()
        context.execute(after: .zero) { log.add(1) }
        context.execute(after: .nanoseconds(1)) { log.add(2) }
        context.advance(by: .zero)
        #expect(log.all == [1])
        #expect(context.now == .zero)
    }

    @Test func `a timer can be canceled`() {
        let context = ManualContext()
        let log = Log<Int>()
        let first = context.execute(after: .seconds(1)) { log.add(1) }
        let second = context.execute(after: .seconds(1)) { log.add(2) }
        #expect(first.cancel())
        #expect(!first.cancel())
        #expect(context.timerCount == 1)
        context.advance(by: .seconds(1))
        #expect(log.all == [2])
        #expect(!second.cancel())
    }

    @Test func `a timer can be canceled by an earlier one with the same deadline`() {
        let context = ManualContext()
        let log = Log<Int>()
        let second = Lock(Registration())
        context.execute(after: .seconds(1)) { if second.withLock({ $0 }).cancel() { log.add(1) } }
        let registration = context.execute(after: .seconds(1)) { log.add(2) }
        second.withLock { $0 = registration }
        context.advance(by: .seconds(1))
        #expect(log.all == [1])
    }

    @Test func `a canceled timer is released at once`() {
        let context = ManualContext()
        var registration = Registration()
        let watch = Watch { probe in registration = context.execute(after: .seconds(1)) { probe.use() } }
        #expect(!watch.isReleased)
        #expect(registration.cancel())
        #expect(watch.isReleased)
        #expect(context.timerCount == 0)
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
        let context = ManualContext()
        let log = Log<Int>()
        var registrations: [Registration] = []
        for number in 0..<1000 {
            let deadline = (number * 7919) % 1000
            registrations.append(context.execute(after: .milliseconds(deadline)) { log.add(deadline) })
        }
        for (index, registration) in registrations.enumerated() where index % 10 != 0 {
            #expect(registration.cancel())
        }
        #expect(context.timerCount == 100)
        context.advance(by: .seconds(1))
        #expect(log.count == 100)
        #expect(log.all == log.all.sorted())
    }

    @Test func `huge and negative durations do no harm`() {
        let context = ManualContext()
        let log = Log<Int>()
        context.execute(after: .seconds(Int64.min)) { log.add(1) }
        context.execute(after: .seconds(Int64.max)) { log.add(2) }
        context.advance(by: .seconds(1))
        context.execute(after: .seconds(Int64.max)) { log.add(3) }
        #expect(log.all == [1])
        context.advance(by: .seconds(Int64.max))
        context.advance(by: .seconds(Int64.max))
        #expect(log.all == [1, 2, 3])
    }

    @Test func `advancing by a negative duration stops the program with a message`() async {
        await #expect(processExitsWith: .failure) {
            ManualContext().advance(by: .zero - .nanoseconds(1))
        }
    }

    @Test func `a task can advance the time`() {
        let context = ManualContext()
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
