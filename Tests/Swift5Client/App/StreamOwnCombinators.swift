import SimpleFutures

// Combinators that the app has written because the library had none. Now it has some of the same names; the app's go on
// to be what is called here.

extension FutureStream {
    func take(_ count: Int) -> FutureStream<T> {
        let promise = StreamPromise<T>()
        let cancelToken = CancelToken()
        var left = count
        onComplete(context: ImmediateContext(), cancelToken: cancelToken) { result in
            left -= 1
            promise.complete(result)
            if left == 0 { _ = self.cancel(cancelToken) }
        }
        return promise.stream
    }

    func filter(_ isGood: @escaping (T) -> Bool) -> FutureStream<T> {
        let promise = StreamPromise<T>()
        onSuccess(context: ImmediateContext()) { value in
            if isGood(value) { promise.success(value) }
        }
        return promise.stream
    }

    func scan<Value>(_ initial: Value, _ combine: @escaping (Value, T) -> Value) -> FutureStream<Value> {
        var value = initial
        return map(context: ImmediateContext()) { next in
            value = combine(value, next)
            return value
        }
    }

    func merge(_ other: FutureStream<T>) -> FutureStream<T> {
        let promise = StreamPromise<T>()
        promise.completeWith(stream: self)
        promise.completeWith(stream: other)
        return promise.stream
    }
}

func merge<Value>(_ first: FutureStream<Value>, _ second: FutureStream<Value>) -> FutureStream<Value> {
    return first.merge(second)
}

func bestDegrees(_ reports: FutureStream<Report>, _ others: FutureStream<Report>) -> FutureStream<Int> {
    return merge(reports, others.merge(FutureStream())).filter { $0.degrees > 0 }.scan(0) { max($0, $1.degrees) }
}
