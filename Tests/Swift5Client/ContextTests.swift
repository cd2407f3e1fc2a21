import SimpleFutures
import Testing

@Suite("A Swift 5 client: execution contexts")
struct ContextTests {
    @Test func `a context of the app's own runs callbacks when it likes`() {
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

    @Test func `contexts are values of a protocol type`() {
        var count = 0
        let stepping = SteppingContext()
        runEverywhere([ImmediateContext(), stepping, LoggingContext(ImmediateContext())]) { count += 1 }
        #expect(count == 2)
        stepping.step()
        #expect(count == 3)
        #expect(countRuns(on: [ImmediateContext(), CountingContext(ImmediateContext())]) == 4)
        #expect(["main", "global", "immediate", "default"].allSatisfy { context(named: $0) != nil })
        #expect(context(named: "other") == nil)
    }

    @Test func `the app's settings name contexts`() async {
        let settings = Settings.forTests
        #expect(settings.callbacks is ImmediateContext)
        #expect((Settings().callbacks as? QueueContext)?.queue.queue.label == "com.apple.main-thread")
        let label: String = await withCheckedContinuation { done in
            Settings().work.execute { done.resume(returning: "worked") }
        }
        #expect(label == "worked")
    }
}
