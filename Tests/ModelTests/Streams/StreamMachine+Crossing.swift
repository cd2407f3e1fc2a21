import SimpleFutures

// Conversions between streams and futures.

extension StreamMachine {
    func flatMap(
        _ id: Int, _ source: Int, _ inner: Int, _ context: any ExecutionContext, _ token: CancelToken
    ) -> FutureStream<Payload>? {
        let captured = capture(id)
        switch (stream(source), future(source), stream(inner), future(inner)) {
        case (let source?, _, let inner?, _):
            return source.flatMap(context: context, cancelToken: token) { _ in captured.passing(inner) }
        case (let source?, _, _, let inner?):
            return source.flatMap(context: context, cancelToken: token) { _ in captured.passing(inner) }
        case (_, let source?, let inner?, _):
            return source.flatMap(context: context, cancelToken: token) { _ in captured.passing(inner) }
        default: return nil
        }
    }

    func recoverWith(
        _ id: Int, _ source: Int, _ inner: Int, _ context: any ExecutionContext, _ token: CancelToken
    ) -> FutureStream<Payload>? {
        let captured = capture(id)
        func recover<Inner: FutureStreamConvertible<Payload>>(_ inner: Inner) -> FutureStream<Payload>? {
            stream(source)?.recoverWith(context: context, cancelToken: token) { _ in captured.passing(inner) }
        }
        return stream(inner).flatMap { recover($0) } ?? future(inner).flatMap { recover($0) }
    }

    func flatMapLatest(
        _ id: Int, _ source: Int, _ inner: [Int], _ context: any ExecutionContext, _ token: CancelToken
    ) -> FutureStream<Payload>? {
        guard let source = stream(source) else { return nil }
        let captured = capture(id)
        let count = Lock(0)
        func latest<Inner: FutureStreamConvertible<Payload>>(_ objects: [Inner]) -> FutureStream<Payload>? {
            guard objects.count == inner.count else { return nil }
            return source.flatMapLatest(context: context, cancelToken: token) { _ in
                captured.use()
                return count.withLock { count in
                    defer { count += 1 }
                    return objects[count % objects.count]
                }
            }
        }
        return latest(inner.compactMap { stream($0) }) ?? latest(inner.compactMap { future($0) })
    }

    func reduce(
        _ id: Int, _ source: FutureStream<Payload>, _ context: any ExecutionContext, _ token: CancelToken
    ) -> Future<Payload> {
        let captured = capture(id)
        return source.reduce(into: captured.making(0), context: context, cancelToken: token) { sum, value in
            sum = try captured.making(StreamProgram.scanned(sum.number, value.number))
        }
    }

    func complete(_ target: Int, with source: Int) -> Bool {
        let (promise, futurePromise) = things.withLock { ($0.promises[target], $0.futurePromises[target]) }
        switch (promise, futurePromise, stream(source), future(source)) {
        case (let target?, _, let source?, _): target.completeWith(stream: source)
        case (let target?, _, _, let source?): target.completeWith(future: source)
        case (_, let target?, let source?, _): target.future.completeWith(stream: source)
        default: return false
        }
        return true
    }
}
