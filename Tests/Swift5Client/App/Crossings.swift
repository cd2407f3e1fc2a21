import SimpleFutures

// From a future to a stream, and back.

class Connection {
    let station: Station
    let gauge: Gauge
    let context: ExecutionContext
    var log = [String]()

    init(_ station: Station, _ gauge: Gauge, context: ExecutionContext) {
        self.station = station
        self.gauge = gauge
        self.context = context
    }

    /// Connect, then listen.
    func connect(capacity: Int, cancelToken: CancelToken) -> FutureStream<Report> {
        return station.futureName().flatMap(capacity: capacity, context: context, cancelToken: cancelToken) {
            name -> FutureStream<Report> in
            self.log.append(name)
            guard self.station.isOnline else {
                throw WeatherError.offline
            }
            return self.gauge.rainStream()
        }
    }

    /// The stored value, or else what is measured.
    func degrees(_ stored: Future<Int>, capacity: Int, cancelToken: CancelToken) -> FutureStream<Int> {
        return stored.recoverWith(capacity: capacity, context: context, cancelToken: cancelToken) {
            error -> FutureStream<Int> in
            guard error as? WeatherError != .unknownCity else {
                throw error
            }
            return self.gauge.pressureStream()
        }
    }

    /// On the default context, with everything kept.
    func pressures(_ calibrated: Future<Void>) -> FutureStream<Int> {
        return
            calibrated
            .flatMap { _ -> FutureStream<Int> in self.gauge.pressureStream() }
            .recoverWith { error -> FutureStream<Int> in FutureStream(error: error, capacity: 1) }
    }

    func stored(_ future: Future<Int>) -> FutureStream<Int> {
        return future.recoverWith { _ -> FutureStream<Int> in self.gauge.pressureStream() }
    }
}

func first<Value>(of stream: FutureStream<Value>) -> Future<Value> {
    let future = Future<Value>()
    future.completeWith(stream: stream)
    return future
}

func first<Value>(of stream: FutureStream<Value>, context: ExecutionContext) -> Future<Value> {
    let future = Future<Value>()
    future.completeWith(context: context, stream: stream)
    return future
}

func all<Value>(in stream: FutureStream<Value>) -> Future<[Value]> {
    return stream.futures.sequence(context: ImmediateContext())
}
