public import SimpleFutures
import SimpleFuturesInterop

extension FutureStream where T == Int {
    /// Returns a stream that emits again and again, at equal distances: 1 when the time has passed once, then 2, and so on.
    ///
    ///     let clock = FutureStream.every(.seconds(1), cancelToken: closed)
    ///     clock.onSuccess(isolated: { self.seconds = $0 })
    ///     // or: for try await second in clock.values { … }
    ///
    /// The times are counted from the beginning, so that the distances do not add up to a delay. If the context is too
    /// late for one or several of them, it emits once, with the number of the latest.
    ///
    /// The time begins with this call if the stream keeps a history, otherwise with the first who subscribes. When the
    /// last one who gets elements has left there are no timers any more; for the next one it begins anew, with 1.
    ///
    /// - Parameters:
    ///   - period: The distance. It must be positive.
    ///   - capacity: The number of newest elements to replay to later subscribers. It must not be negative.
    ///   - context: Waits: its timers are used, so that a `ManualContext` needs no real time. Elements are emitted on
    ///     it.
    ///   - cancelToken: Stops the timer and cancels the stream.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
    public static func every(
        _ period: Duration, capacity: Int = 0, context: any ExecutionContext = QueueContext.global,
        cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line
    ) -> FutureStream<Int> {
        require(
            period > .zero,
            """
            `FutureStream.every` was given the period \(period); it must be longer than zero. Pass how much time is to pass \
            between two elements.
            """, fileID, line)
        return FutureStream(
            capacity: capacity, cancelToken: cancelToken, context: ImmediateContext(), fileID: fileID, line: line
        ) { emitter in
            let ticker = Ticker(period, on: context) { emitter.success($0) }
            ticker.start()
            return CancelAction { ticker.stop() }
        }
    }
}
