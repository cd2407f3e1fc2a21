public import SimpleFutures
import SimpleFuturesInterop

extension FutureStream where T == Int {
    /// Returns a stream that emits at a fixed interval: 1 after the first period, then 2, and so on.
    ///
    ///     let clock = FutureStream.every(.seconds(1), cancelToken: token)
    ///     clock.onSuccess(isolated: { [weak self] in self?.seconds = $0 })
    ///     // or: for try await second in clock.values { … }
    ///
    /// Times are counted from the beginning, so that delays do not add up. If the context is late by one or more
    /// periods, the stream emits once, with the latest number.
    ///
    /// With a replay buffer the time begins with this call, otherwise with the first subscriber. When the last
    /// subscriber has left, the timer is freed; for the next one the stream starts again with 1. If the context drops the
    /// timer, as a `ManualContext` does when it is released, the stream finishes.
    ///
    /// - Parameters:
    ///   - period: The interval. It must be positive.
    ///   - capacity: The number of newest elements to replay to later subscribers. It must not be negative.
    ///   - context: Runs the timers and emits the elements. With a `ManualContext`, waiting takes no real time.
    ///   - cancelToken: Stops the timer and cancels the stream.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    public static func every(
        _ period: Duration, capacity: Int = 0, context: any ExecutionContext = QueueContext.global,
        cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line
    ) -> FutureStream<Int> {
        require(
            period > .zero,
            """
            `FutureStream.every` was given the period \(period); it must be longer than zero. Pass the time \
            between two elements.
            """, fileID, line)
        let context = context.forWaiting
        return FutureStream(
            capacity: capacity, cancelToken: cancelToken, context: ImmediateContext(), fileID: fileID, line: line
        ) { emitter in
            let ticker = Ticker(period, on: context) { emitter.success($0) }
            ticker.start()
            return CancelAction { [weak ticker] in ticker?.stop() }
        }
    }
}
