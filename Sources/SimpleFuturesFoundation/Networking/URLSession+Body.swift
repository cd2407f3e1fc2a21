public import Foundation
public import SimpleFutures
import SimpleFuturesInterop

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension URLSession {
    /// Sends a request, and returns the body as a stream of pieces.
    ///
    ///     let (body, response) = try await session
    ///         .body(for: request, capacity: 0, cancelToken: token).validate().value
    ///     for try await piece in body.values(buffering: .failing(1_000)) {
    ///         try handle.write(contentsOf: piece)
    ///     }
    ///
    /// The future is completed with the head of the response. With a capacity of 0 the body waits for its first
    /// subscriber, so that no part is lost; otherwise it does not wait, and its subscribers get the newest pieces. A
    /// derived stream, such as `body.lines()`, is a subscriber: loop over it at once. The body arrives as fast as the
    /// server sends it. An error, usually a `URLError`, is the last element. After it, or at the end of the body, the
    /// stream finishes.
    ///
    /// The transfer is stopped and the body canceled when the last subscriber has left. Once the head has arrived, the
    /// same happens when future and stream are released without a subscriber. Before that, only the token stops the
    /// transfer; it then also cancels the future.
    ///
    /// Callbacks on an `ImmediateContext` slow the transfer down where the system allows it: the task is suspended
    /// while more than 64 KB wait for them. Other transfers of the session are not affected. A loop does not slow the
    /// transfer down: give it a bounded buffer, or use ``asyncBody(for:)``, which reads on demand. More than a megabyte
    /// that waits for the first subscriber is stored in a temporary file.
    ///
    /// The session must not be invalidated, and a background session is refused, as with
    /// ``dataFuture(for:cancelToken:fileID:line:)``.
    ///
    /// On Linux the transfer uses its own session with this session's configuration. Redirections and challenges are
    /// forwarded to this session's delegate, and invalidating this session ends the transfer.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - capacity: The number of newest pieces to replay to later subscribers. It must not be negative.
    ///   - cancelToken: Stops the transfer and cancels future and body, at once.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    /// - Returns: A future of the body and of the response. It fails with a `URLError` if there is no response, but not
    ///   because of a status: see `validate(statusCodes:cancelToken:)`.
    public func body(
        for request: URLRequest, capacity: Int, cancelToken: CancelToken = .none, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Future<(FutureStream<Data>, URLResponse)> {
        requireCapacity(capacity, fileID, line)
        return future(cancelToken: cancelToken, fileID: fileID, line: line) {
            (completion: @escaping @Sendable (Result<(FutureStream<Data>, URLResponse), any Error>) -> Void) in
            let transfer = BodyTransfer(cancelToken: cancelToken) { head in
                completion(head.map { ($0.0.stream(capacity: capacity), $0.1) })
            }
            try transfer.start(request, in: self)
            return CancelAction { transfer.stop() }
        }
    }
}

extension URLSession {
    /// Sends a request, and returns the body as a sequence of pieces that are read on demand.
    ///
    ///     let (body, response) = try await session.asyncBody(for: request)
    ///     for try await piece in body {
    ///         try await archive.append(piece)        // as slow as it likes
    ///     }
    ///
    /// No piece is lost, and only about a megabyte is in memory, however slow the loop is. On Apple's systems the task
    /// is suspended while more than 64 KB wait. On Linux, where this is not possible, the rest waits in a temporary
    /// file, or in memory for as long as the disk is slower than the network. By contrast,
    /// ``body(for:capacity:cancelToken:fileID:line:)`` arrives as fast as the server sends it, for any number of
    /// callbacks and loops.
    ///
    /// The transfer is stopped when the task is canceled before the head has arrived, and when the body and its
    /// iterators are released. If a loop is left early, the next loop continues after its last piece.
    ///
    /// - Parameter request: The request.
    /// - Returns: The body and the response, with any status.
    /// - Throws: A `URLError` if there is no response; `CancellationError` if the task is canceled.
    public func asyncBody(for request: URLRequest) async throws -> (BodyChunks, URLResponse) {
        let token = CancelToken()
        let head: Future<BodyTransfer.Head> = future(cancelToken: token) {
            (completion: @escaping @Sendable (Result<BodyTransfer.Head, any Error>) -> Void) in
            let transfer = BodyTransfer(cancelToken: .none, completion)
            try transfer.start(request, in: self)
            return CancelAction { transfer.stop() }
        }
        let (lease, response) = try await head.value(cancelling: token)
        return (BodyChunks(lease), response)
    }
}

/// The body of a response in pieces, read on demand: see `URLSession.asyncBody(for:)`.
public struct BodyChunks: AsyncSequence, Sendable {
    /// A piece, never empty.
    public typealias Element = Data
    /// A `URLError`, a `POSIXError` if waiting pieces cannot be stored, or `CancellationError`.
    public typealias Failure = any Error

    private let lease: BodyTransfer.Lease

    init(_ lease: BodyTransfer.Lease) { self.lease = lease }

    /// Creates an iterator that continues after the pieces that others have taken.
    public func makeAsyncIterator() -> Iterator { Iterator(lease) }

    /// Takes one piece after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private let lease: BodyTransfer.Lease
        private var hasEnded = false

        init(_ lease: BodyTransfer.Lease) { self.lease = lease }

        /// Waits for the next piece.
        ///
        /// Returns nil at the end of the body, and after an error.
        ///
        /// - Throws: The error that ended the transfer, after all pieces before it; `CancellationError` at once if the
        ///   task is canceled. Pieces not taken then stay available to other iterators.
        public mutating func next() async throws -> Data? {
            guard !hasEnded else { return nil }
            // Assumed until the call returns a piece.
            hasEnded = true
            let piece = try await lease.next()
            hasEnded = piece == nil
            return piece
        }

        /// Waits for the next piece, like ``next()``, and stays on the caller's actor.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        nonisolated(nonsending) public mutating func next(
            isolation actor: (any Actor)?
        ) async throws(any Error) -> Data? {
            try await next()
        }
    }
}

/// Used by one task.
@available(*, unavailable)
extension BodyChunks.Iterator: Sendable {}

extension Futurable where T == (FutureStream<Data>, URLResponse) {
    /// Returns a future that fails with ``HTTPStatusError`` if the status is not accepted: for `body`.
    ///
    /// The error contains the status and the body, at most its first megabyte.
    ///
    /// - Parameters:
    ///   - statusCodes: The accepted status codes.
    ///   - cancelToken: When canceled, cancels the new future, and stops reading the body of an error.
    public func validate(
        statusCodes: Range<Int> = 200..<300, cancelToken: CancelToken = .none
    ) -> Future<(FutureStream<Data>, URLResponse)> {
        // Canceled when enough of the body of an error has arrived, or when the new future is canceled.
        let token = CancelToken()
        let validated = flatMap(context: ImmediateContext(), cancelToken: cancelToken) { body, response in
            guard let unwanted = response.unwanted(statusCodes) else { return Future(value: (body, response)) }
            let end = Promise<Void>()
            let data = Lock(Data())
            body.onComplete(context: ImmediateContext(), cancelToken: token) { piece in
                let size = data.withLock { data in
                    data.append(piece.value ?? Data())
                    return data.count
                }
                guard size >= HTTPStatusError.largestBody else { return }
                end.trySuccess()
                token.cancel()
            }
            body.onFinish(context: ImmediateContext(), cancelToken: token) { end.trySuccess() }
            body.onCancel(context: ImmediateContext()) { end.trySuccess() }
            return end.future.map(context: ImmediateContext()) { _ in
                throw HTTPStatusError(
                    body: data.withLock { $0 }.prefix(HTTPStatusError.largestBody), response: unwanted)
            }
        }
        validated.onCancel(context: ImmediateContext()) { token.cancel() }
        return validated
    }
}
