import SimpleFutures

/// A channel that is handed out before it is known what will be sent.
class Channel {
    let anotherFutureStream = FutureStream<Int>()
    let promise = StreamPromise<Int>(capacity: 5)
    private(set) var sources = 0

    /// As in the document.
    func open(with gauge: Gauge, and station: Station) {
        sources += 2
        let dependentFuture = future(method: station.pressure)
        anotherFutureStream.completeWith(future: dependentFuture)
        let dependentStream = futureStream(method: gauge.pressure)
        anotherFutureStream.completeWith(stream: dependentStream)
    }

    func open(with numbers: FutureStream<Int>, and number: Future<Int>, context: ExecutionContext) {
        sources += 2
        anotherFutureStream.completeWith(context: context, stream: numbers)
        anotherFutureStream.completeWith(context: context, future: number)
    }

    func open(with numbers: Try<FutureStream<Int>>, and number: Try<Future<Int>>) {
        sources += 2
        anotherFutureStream.completeWith(stream: numbers)
        anotherFutureStream.completeWith(future: number)
    }

    func relay(_ numbers: FutureStream<Int>, and number: Future<Int>) -> FutureStream<Int> {
        promise.completeWith(stream: numbers)
        promise.completeWith(future: number)
        return promise.stream
    }

    func relay(_ numbers: FutureStream<Int>, and number: Future<Int>, context: ExecutionContext) -> FutureStream<Int> {
        promise.completeWith(context: context, stream: numbers)
        promise.completeWith(context: context, future: number)
        return promise.stream
    }
}
