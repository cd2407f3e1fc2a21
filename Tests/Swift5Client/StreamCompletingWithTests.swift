import SimpleFutures
import SimpleFuturesInterop
import Testing

@Suite("A Swift 5 client: completeWith on streams")
struct StreamCompletingWithTests {
    private let channel = Channel()
    private let numbers = StreamPromise<Int>()
    private let number = Promise<Int>()

    private func send() {
        numbers.success(1)
        number.success(2)
        numbers.failure(WeatherError.offline)
        numbers.success(3)
    }

    private func expect(_ stream: FutureStream<Int>) {
        #expect(stream.futures.map { $0.result?.value } == [1, 2, nil, 3])
    }

    @Test func `as the document has it`() async throws {
        let gauge = Gauge()
        channel.open(with: gauge, and: Station())
        let next = first(of: channel.anotherFutureStream)
        #expect(try await next.value == 1013)
        gauge.measure(990, nil)
        #expect(channel.anotherFutureStream.futures.map { $0.result?.value } == [1013, 990])
    }

    @Test func `a stream emits what a stream and a future bring`() {
        channel.open(with: numbers.stream, and: number.future, context: ImmediateContext())
        send()
        expect(channel.anotherFutureStream)
        #expect(channel.sources == 2)
    }

    @Test func `so it does if they come as results`() {
        channel.open(with: Try(numbers.stream), and: Try(number.future))
        send()
        expect(channel.anotherFutureStream)
        let failing = Channel()
        failing.open(with: Try(WeatherError.offline), and: Try(WeatherError.unknownCity))
        #expect(
            failing.anotherFutureStream.futures.map { $0.result?.error as? WeatherError } == [.offline, .unknownCity])
    }

    @Test func `so does a promise`() {
        let relayed = channel.relay(numbers.stream, and: number.future)
        let other = Channel().relay(numbers.stream, and: number.future, context: ImmediateContext())
        send()
        expect(relayed)
        expect(other)
    }
}
