import SimpleFutures
import Testing

@Suite("A Swift 5 client: cancel")
struct CancellingTests {
    private let promise = Promise<Report>()

    @Test func `what a token holds is told nothing any more`() {
        let staying = Widget(promise.future, context: ImmediateContext())
        let leaving = Widget(promise.future, context: ImmediateContext())
        staying.appear { Future(value: "sunny") }
        leaving.appear { Future(value: "sunny") }
        #expect(leaving.disappear())
        #expect(!leaving.disappear())
        promise.success(Report(city: "Ulm", degrees: 1))
        #expect(staying.lines == ["Ulm", "sunny"])
        #expect(leaving.lines.isEmpty)
    }

    @Test func `without a cancellation failures come through`() {
        let widget = Widget(promise.future, context: ImmediateContext())
        widget.appear { Future(value: "sunny") }
        promise.failure(WeatherError.offline)
        #expect(widget.lines == ["offline", "offline"])
    }

    @Test func `completion ids tell subscribers apart`() {
        var subscribers = Subscribers()
        var values = [Int]()
        let first = subscribers.add { values.append($0) }
        let second = subscribers.add { values.append($0 * 10) }
        #expect(first != second)
        subscribers.remove(first)
        subscribers.tell(1)
        subscribers.tell(2, only: second)
        subscribers.tell(3, only: first)
        #expect(values == [10, 20])
    }
}
