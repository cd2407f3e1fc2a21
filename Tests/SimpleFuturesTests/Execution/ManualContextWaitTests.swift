import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("ManualContext: waiting for tasks and timers", .watchdog)
struct ManualContextWaitTests {
    @Test func `existing tasks complete it at once`() {
        let context = ManualContext()
        #expect(context.pending(atLeast: 0).completed)
        context.execute {}
        #expect(context.pending().completed)
        #expect(!context.timers().completed)
        context.execute(after: .seconds(1)) {}
        #expect(context.timers().completed)
        #expect(context.pending(atLeast: 2).completed)
    }

    @Test func `the last of the given number of tasks completes it`() {
        let context = ManualContext()
        let two = context.pending(atLeast: 2)
        context.execute {}
        #expect(!two.completed)
        context.execute(after: .seconds(1)) {}
        #expect(two.completed)
    }

    @Test func `tasks that have run or were canceled do not count`() {
        let context = ManualContext()
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
        let context = ManualContext()
        let log = Log<Int>()
        for number in 1...3 {
            context.timers(atLeast: number == 2 ? 2 : 1).onSuccess(context: ImmediateContext()) { log.add(number) }
        }
        context.execute(after: .zero) {}
        #expect(log.all == [1, 3])
        context.execute(after: .zero) {}
        #expect(log.all == [1, 3, 2])
    }

    @Test func `its callback can use the context`() {
        let context = ManualContext()
        let log = Log<Int>()
        context.pending().onSuccess(context: ImmediateContext()) { log.add(context.run()) }
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

    @Test func `many threads complete it once`() {
        let context = ManualContext()
        let all = context.pending(atLeast: 400)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in for _ in 0..<100 { context.execute {} } }
        #expect(all.completed)
        #expect(context.run() == 400)
    }
}
