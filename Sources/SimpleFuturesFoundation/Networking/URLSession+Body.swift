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
    /// The future is completed with the head of the response. The body waits for its first subscriber, so that nothing of
    /// it is lost, then comes as fast as the server sends it. An error is the last element, a `URLError`; then the
    /// stream finishes, as it does at the end of the body.
    ///
    /// The transfer is stopped, and the body canceled, when the last subscriber has left; when future and stream are
    /// released without one; and by the token, which cancels the future, too, if the head
    /// has not come.
    ///
    /// Callbacks on an `ImmediateContext` hold up the transfer, as far as the system lets them: the task is suspended
    /// as long as more than 64 KB wait for them. They hold up no other transfer of the session. A loop does not hold it
    /// up: give it a bounded buffer, or use ``asyncBody(for:)``, which is read as it is iterated. What waits for the
    /// first subscriber waits in a temporary file, if it is more than a megabyte.
    ///
    /// On Linux the transfer has a session of its own, with this one's configuration. This one's delegate is asked
    /// about redirections and challenges, and invalidating this one ends it.
    ///
    /// - Parameters:
    ///   - request: What to load.
    ///   - capacity: How many of the newest pieces the body keeps for later subscribers. It must not be
    ///     negative.
    ///   - cancelToken: Stops the transfer and cancels future and body, at once.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
    /// - Returns: A future of the body and of the response. It fails with a `URLError` if there is no response; not
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
            transfer.start(request, in: self)
            return CancelAction { transfer.stop() }
        }
    }
}

extension URLSession {
    /// Loads what a request asks for, and gives the body piece by piece, each of them when it is asked for.
    ///
    ///     let (body, response) = try await session.asyncBody(for: request)
    ///     for try await piece in body {
    ///         try await archive.append(piece)        // as slow as it likes
    ///     }
    ///
    /// Nothing is lost, and no more than about a megabyte is in memory, however slow the loop is. On Apple's systems the
    /// task is suspended as long as more than 64 KB wait. On Linux, where this is not possible, the rest waits in a
    /// temporary file. ``body(for:capacity:cancelToken:fileID:line:)`` comes as fast as the server sends it, for any
    /// number of callbacks and loops.
    ///
    /// The transfer is stopped when the task is canceled before the head has come, and when the body and its
    /// iterators have been released. A loop that follows one that was left goes on where that was.
    ///
    /// - Parameter request: What to load.
    /// - Returns: The body, and the response, of any status.
    /// - Throws: A `URLError` if there is no response; `CancellationError` if the task is canceled.
    public func asyncBody(for request: URLRequest) async throws -> (BodyChunks, URLResponse) {
        let token = CancelToken()
        let head: Future<BodyTransfer.Head> = future(cancelToken: token) {
            (completion: @escaping @Sendable (Result<BodyTransfer.Head, any Error>) -> Void) in
            let transfer = BodyTransfer(cancelToken: .none, completion)
            transfer.start(request, in: self)
            return CancelAction { transfer.stop() }
        }
        let (lease, response) = try await head.value(cancelling: token)
        return (BodyChunks(lease), response)
    }
}

/// The body of a response in pieces, loaded as they are asked for: see `URLSession.asyncBody(for:)`.
public struct BodyChunks: AsyncSequence, Sendable {
    /// A piece; it is not empty.
    public typealias Element = Data
    /// A `URLError`, a `POSIXError` if there is no room for what waits, or `CancellationError`.
    public typealias Failure = any Error

    private let lease: BodyTransfer.Lease

    init(_ lease: BodyTransfer.Lease) { self.lease = lease }

    /// An iterator that goes on where others have stopped.
    public func makeAsyncIterator() -> Iterator { Iterator(lease) }

    /// Takes piece by piece.
    public struct Iterator: AsyncIteratorProtocol {
        private let lease: BodyTransfer.Lease
        private var hasEnded = false

        init(_ lease: BodyTransfer.Lease) { self.lease = lease }

        /// The next piece, as soon as there is one; nil at the end of the body, and after an error.
        ///
        /// - Throws: What has ended the transfer, after all that has come before; `CancellationError`, at once, if the
        ///   task is canceled. What is not taken then is left for others.
        public mutating func next() async throws -> Data? {
            guard !hasEnded else { return nil }
            // As long as nothing else has happened.
            hasEnded = true
            let piece = try await lease.next()
            hasEnded = piece == nil
            return piece
        }

        /// The next piece: ``next()`` for a caller that names its actor, on which it stays.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        nonisolated(nonsending) public mutating func next(
            isolation actor: (any Actor)?
        ) async throws(any Error) -> Data? {
            try await next()
        }
    }
}

/// An iterator is for one task.
@available(*, unavailable)
extension BodyChunks.Iterator: Sendable {}

extension Futurable where T == (FutureStream<Data>, URLResponse) {
    /// Of `body`: a future that fails with ``HTTPStatusError`` if the status is not a wanted one.
    ///
    /// The error carries the status and the body, of which no more than the first megabyte is waited for.
    ///
    /// - Parameters:
    ///   - statusCodes: The accepted status codes.
    ///   - cancelToken: When canceled, cancels the new future.
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
