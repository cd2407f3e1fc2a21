import SimpleFutures
import Testing

@Suite("A Swift 5 client: handlers of streams")
struct StreamCompletionTests {
    private let promise = StreamPromise<Report>()

    private func send() {
        promise.success(Report(city: "Ulm", degrees: 1))
        promise.failure(WeatherError.offline)
    }

    @Test func `they get each element, and those that have been before`() {
        let early = Ticker(promise.stream, context: ImmediateContext())
        early.appear { FutureStream(value: "sunny in \($0.city)", capacity: 1) }
        send()
        let lines = ["Ulm", "1°", "sunny in Ulm", "offline", "?", "no details: offline"]
        #expect(early.lines == lines)
        let late = Ticker(promise.stream, context: ImmediateContext())
        late.appear { FutureStream(value: "sunny in \($0.city)", capacity: 1) }
        #expect(late.lines.sorted() == lines.sorted())
    }

    @Test func `what a token holds is told nothing any more`() {
        let (staying, leaving) = (
            Ticker(promise.stream, context: ImmediateContext()), Ticker(promise.stream, context: ImmediateContext())
        )
        let details = StreamPromise<String>()
        staying.appear { _ in details.stream }
        leaving.appear { _ in details.stream }
        send()
        #expect(leaving.disappear())
        #expect(!leaving.disappear())
        send()
        details.success("sunny")
        #expect(leaving.lines.count == 5)
        #expect(staying.lines.count == 12)
    }

    @Test func `on the default context they change local variables`() async {
        let counts: (Int, Int) = await withCheckedContinuation { done in
            let numbers = FutureStream(value: 1, capacity: 10)
            countBoth(numbers, until: 3) { done.resume(returning: ($0, $1)) }
            numbers.failure(WeatherError.offline)
            numbers.success(3)
        }
        #expect(counts == (2, 1))
    }

    @Test func `they may be somebody else's blocks`() {
        var texts = [String]()
        forward(promise.stream, success: { texts.append($0.city) }, failure: { texts.append("\($0)") })
        send()
        #expect(texts == ["Ulm", "offline"])
    }
}
