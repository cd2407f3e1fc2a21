public import Foundation
public import SimpleFutures
import SimpleFuturesInterop

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension URLSession {
    /// Begins to load what a request asks for, and gives the body piece by piece, as it comes.
    ///
    ///     let (body, response) = try await session
    ///         .body(for: request, capacity: 0, cancelToken: token).validate().value
    ///     for try await piece in body.values(buffering: .failing(1_000)) {
    ///         try file.write(contentsOf: piece)
    ///     }
    ///
    /// The future is completed with the head of the response. The body waits until somebody subscribes, so that nothing
    /// of it is lost, then comes as fast as the server sends it. An error is the last element, a `URLError`; then the
    /// stream finishes, as it does at the end of the body.
    ///
    /// The transfer is stopped, and the body cancelled, when the last one who gets elements has left; when nobody will
    /// ever subscribe, as future and stream were dropped; and by the token, which cancels the future, too, if the head
    /// has not come.
    ///
    /// Callbacks on an `ImmediateContext` hold up the transfer, as far as the system lets them: the task is suspended
    /// as long as two pieces or more wait for them. They hold up no other transfer of the session. A loop does not
    /// hold it up: give it a bounded buffer.
    ///
    /// On Linux the transfer has a session of its own, with this one's configuration. This one's delegate is asked
    /// about redirections and challenges, and invalidating this one ends it.
    ///
    /// - Parameters:
    ///   - request: What to load.
    ///   - capacity: How many of the newest pieces the body keeps for those who subscribe later. It must not be
    ///     negative.
    ///   - cancelToken: Stops the transfer and cancels future and body, at once.
    ///   - fileID: Where it is called, for reports.
    ///   - line: Where it is called, for reports.
    /// - Returns: A future of the body and of the response. It fails with a `URLError` if there is no response; not
    ///   because of a status: see `validate(statusCodes:cancelToken:)`.
    public func body(
        for request: URLRequest, capacity: Int, cancelToken: CancelToken = .none, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Future<(FutureStream<Data>, URLResponse)> {
        requireCapacity(capacity, fileID, line)
        return future(cancelToken: cancelToken, fileID: fileID, line: line) {
            (completion: @escaping @Sendable (Result<(FutureStream<Data>, URLResponse), any Error>) -> Void) in
            let transfer = BodyTransfer(capacity: capacity, cancelToken: cancelToken, completion)
            transfer.start(request, in: self)
            return CancelAction { transfer.stop() }
        }
    }
}

extension Futurable where T == (FutureStream<Data>, URLResponse) {
    /// Of `body`: a future that fails with ``HTTPStatusError`` if the status is not a wanted one.
    ///
    /// The error carries the status and the body, of which no more than the first megabyte is waited for.
    ///
    /// - Parameters:
    ///   - statusCodes: What is wanted.
    ///   - cancelToken: Detaches the new future; it is then cancelled.
    public func validate(
        statusCodes: Range<Int> = 200..<300, cancelToken: CancelToken = .none
    ) -> Future<(FutureStream<Data>, URLResponse)> {
        flatMap(context: ImmediateContext(), cancelToken: cancelToken) { body, response in
            guard let unwanted = response.unwanted(statusCodes) else { return Future(value: (body, response)) }
            let end = Promise<Void>()
            let token = CancelToken()
            let data = Lock(Data())
            body.onComplete(context: ImmediateContext(), cancelToken: token) { piece in
                let size = data.withLock { data in
                    data.append(piece.value ?? Data())
                    return data.count
                }
                if size >= HTTPStatusError.largestBody { token.cancel() }
            }
            body.onFinish(context: ImmediateContext()) { end.trySuccess() }
            body.onCancel(context: ImmediateContext()) { end.trySuccess() }
            return end.future.map(context: ImmediateContext()) { _ in
                throw HTTPStatusError(
                    body: data.withLock { $0 }.prefix(HTTPStatusError.largestBody), response: unwanted)
            }
        }
    }
}
