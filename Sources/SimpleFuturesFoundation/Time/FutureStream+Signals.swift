import Foundation
public import SimpleFutures
import SimpleFuturesInterop

extension FutureStream where T == Int32 {
    /// Returns a stream of signals that the process gets: SIGINT for Ctrl-C, SIGTERM, SIGHUP and others.
    ///
    ///     let stop = FutureStream.signals(SIGINT, SIGTERM)
    ///     stop.onSuccess { _ in server.shutDown() }
    ///     // or: for try await signal in stop.values { … }
    ///
    /// As long as the stream is listened to the signals do not do what they do otherwise, such as to end the program;
    /// then they do again. Any number of streams may listen to one signal. Each element is the number of a signal; one
    /// that is sent several times before it is dealt with may come once, as the system has it.
    ///
    /// It is listened to from this call on if the stream keeps a history, otherwise from the first who subscribes,
    /// until the last one who gets elements has left; then the signals have their effect again.
    ///
    /// - Parameters:
    ///   - signals: Which ones, at least one. SIGKILL and SIGSTOP cannot be caught.
    ///   - capacity: The number of newest elements to replay to later subscribers. It must not be negative.
    ///   - cancelToken: Gives the signals their effect back, and cancels the stream.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
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
                `FutureStream.signals` was given the signal \(signal), which cannot be caught. Pass those that sigaction(2) \
                takes, such as `SIGINT`, `SIGTERM` or `SIGHUP`.
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
