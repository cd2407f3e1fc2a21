import Foundation
public import SimpleFutures
import SimpleFuturesInterop

extension FutureStream where T == Int32 {
    /// Returns a stream of signals that the process receives: SIGINT for Ctrl-C, SIGTERM, SIGHUP and others.
    ///
    ///     let stop = FutureStream.signals(SIGINT, SIGTERM)
    ///     stop.onSuccess { _ in server.shutDown() }
    ///     // or: for try await signal in stop.values { … }
    ///
    /// While the stream has subscribers, the signals do not have their normal effect, such as ending the program;
    /// afterwards they have it again. Any number of streams may use one signal. Each element is the number of a signal.
    /// If a signal is sent several times before it is handled, it may arrive only once, as is usual with signals.
    ///
    /// With a replay buffer the signals are caught from this call on, otherwise from the first subscriber on, until the
    /// last subscriber has left.
    ///
    /// - Parameters:
    ///   - signals: The signals, at least one. SIGKILL and SIGSTOP cannot be caught.
    ///   - capacity: The number of newest elements to replay to later subscribers. It must not be negative.
    ///   - cancelToken: Restores the signals' normal effect, and cancels the stream.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    public static func signals(
        _ signals: Int32..., capacity: Int = 0, cancelToken: CancelToken = .none, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> FutureStream<Int32> {
        require(
            !signals.isEmpty, "`FutureStream.signals` was given no signal. Pass at least one, such as `SIGINT`.",
            fileID, line)
        for signal in signals {
            require(
                SignalHub.canCatch(signal),
                """
                `FutureStream.signals` was given the signal \(signal), which a program cannot catch. Pass signals that sigaction(2) \
                accepts, such as `SIGINT`, `SIGTERM` or `SIGHUP`.
                """, fileID, line)
        }
        return FutureStream(
            capacity: capacity, cancelToken: cancelToken, context: ImmediateContext(), fileID: fileID, line: line
        ) { emitter in
            let listener = try SignalHub.shared.listen(to: Set(signals)) { emitter.success($0) }
            return CancelAction { SignalHub.shared.stop(listener) }
        }
    }
}
