import SimpleFutures
import Testing
@testable import TestSupport

@Suite("A Swift 5 client: execution contexts", .watchdog)
struct ContextTests {
    @Test func `an app's own context can run callbacks later`() {
        let context = SteppingContext()
        var values = [Int]()
        Future(value: 1).map(context: context) { $0 + 1 }.onSuccess(context: context) { values.append($0) }
        #expect(values.isEmpty)
        context.step()
        #expect(values == [2])
        #expect(context.stepCount == 2)
    }

    @Test func `a context wraps another, and is a class with subclasses`() {
        let inner = CountingContext(ImmediateContext())
        let outer = LoggingContext(inner)
        var isDone = false
        Future(value: 1).onSuccess(context: outer) { _ in isDone = true }
        #expect(isDone)
        #expect(inner.count == 1)
        #expect(inner.log == ["begin", "end"])
        #expect(outer.log == ["begin", "end"])
    }

    @Test func `contexts can be stored as values of the protocol type`() {
        #expect(countRuns(on: [ImmediateContext(), CountingContext(ImmediateContext())]) == 4)
        #expect(["main", "global", "immediate", "default"].allSatisfy { context(named: $0) != nil })
        #expect(context(named: "other") == nil)
    }

    @Test func `the app's settings can store contexts`() async {
        let settings = Settings.forTests
        #expect(settings.callbacks is ImmediateContext)
        #expect((Settings().callbacks as? QueueContext)?.queue.queue.label == "com.apple.main-thread")
        let label: String = await withCheckedContinuation { done in
            Settings().work.execute { done.resume(returning: "worked") }
        }
        #expect(label == "worked")
    }
}

@Suite("A Swift 5 client: queues", .watchdog)
struct QueueTests {
    @Test func `a queue keeps state in order, runs closures and returns values`() {
        let notebook = Notebook()
        notebook.add("rain")
        notebook.add("sun")
        #expect(notebook.all == ["rain", "sun"])
        notebook.clear()
        #expect(notebook.all.isEmpty)
        #expect(labels() == ["almanac.first", "almanac.second"])
    }

    @Test func `a queue runs closures later, on main and in the background`() async {
        let notebook = Notebook()
        let lines = await withCheckedContinuation { done in
            notebook.remind(of: "umbrella", in: 0) { _ in
                inBackground({ 2 + 2 }, completion: { four in onMain { done.resume(returning: "\(four)") } })
            }
        }
        #expect(lines == "4")
        #expect(notebook.all == ["umbrella"])
    }
}
