import Dispatch
import Foundation
import SimpleFutures
import SimpleFuturesInterop

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A transfer whose body arrives in pieces.
///
/// It connects the delegate's methods with the readers.
final class BodyTransfer: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    // Sendable: mutable state is under a lock, or accessed only on the serial queue.

    /// The body's lease and the response.
    ///
    /// The transfer runs until the lease is released.
    typealias Head = (Lease, URLResponse)

    // Callbacks run on it.
    private let queue = DispatchQueue(label: "SimpleFuturesFoundation.BodyTransfer", autoreleaseFrequency: .workItem)
    /// Canceled when the transfer is stopped.
    let token: CancelToken
    /// Cleared when it is called, because it is part of a retain cycle: completion, future, lease, transfer.
    private let completion: Lock<(@Sendable (Result<Head, any Error>) -> Void)?>
    private let task = Lock<URLSessionTask?>(nil)
    #if !canImport(FoundationNetworking)
    private let backlog = Lock(BodyBacklog())
    #else
    private let sessionLink = Lock<URLSessionTask?>(nil)
    #endif

    private var emitter: StreamEmitter<Data>?
    /// Pieces that wait for a reader.
    private var waiting = Spool()
    /// Completed to resume the readers.
    private var arrival: Promise<Void>?
    private var end: Result<Void, any Error>?

    init(cancelToken: CancelToken, _ completion: @escaping @Sendable (Result<Head, any Error>) -> Void) {
        token = cancelToken.child()
        self.completion = Lock(completion)
    }

    func start(_ request: URLRequest, in session: URLSession) throws {
        try session.requireForeground()
        #if canImport(FoundationNetworking)
        // On Linux a task has no delegate, so the transfer creates its own session. A task of the user's session that
        // never starts connects the two: it is canceled when that session is invalidated, and then cancels the
        // transfer.
        let link = session.downloadTask(with: request) { [weak self] _, _, _ in
            self?.cancelTask()
        }
        sessionLink.exchange(link)
        let own = session.makeCacheless(delegate: BodySessionDelegate(self, session.delegate), delegateQueue: nil)
        let new = own.dataTask(with: request)
        #else
        let new = session.dataTask(with: request)
        new.delegate = self
        #endif
        task.exchange(new)
        new.resume()
        #if canImport(FoundationNetworking)
        own.finishTasksAndInvalidate()
        // The user's session was invalidated before there was a task to cancel.
        if link.state != .suspended { cancelTask() }
        #endif
    }

    /// Ends the transfer if it is running, and cancels the body.
    func stop() {
        cancelTask()
        token.cancel()
        queue.async { self.wakeReaders() }
    }

    private func cancelTask() {
        guard let task = task.exchange(nil) else { return }
        #if canImport(FoundationNetworking)
        leaveSession()
        #endif
        task.stop()
    }

    #if canImport(FoundationNetworking)
    private func leaveSession() { sessionLink.exchange(nil)?.stop() }

    /// Answers a redirection, unless the task is being canceled or has ended.
    ///
    /// Otherwise FoundationNetworking ends the program. Under the lock, because the answer must come before the
    /// cancellation; it only adds a task to a queue.
    func ifRunning(_ answer: () -> Void) { task.withLock { if $0 != nil { answer() } } }
    #endif

    // MARK: Reading

    /// Held by everything that may read: the body, its iterators, and a stream without a subscriber so far.
    ///
    /// Its release stops the transfer.
    final class Lease: Sendable {
        private let transfer: BodyTransfer

        init(_ transfer: BodyTransfer) { self.transfer = transfer }

        deinit { transfer.stop() }

        /// The body as a stream.
        ///
        /// There must be no other reader.
        func stream(capacity: Int) -> FutureStream<Data> {
            FutureStream(capacity: capacity, cancelToken: transfer.token, context: ImmediateContext()) { emitter in
                self.transfer.listen(emitter)
                return CancelAction { self.transfer.stop() }
            }
        }

        /// Waits for the next piece.
        ///
        /// Returns nil at the end.
        ///
        /// - Throws: `CancellationError` if the task or the transfer is canceled; the error that ended the transfer.
        func next() async throws -> Data? {
            while true {
                switch try await transfer.take() {
                case .piece(let piece): return piece
                case .arrival(let arrival): try await arrival.value
                case .end: return nil
                }
            }
        }
    }

    private enum Taken: Sendable {
        case piece(Data)
        case arrival(Future<Void>)
        case end
    }

    private func take() async throws -> Taken {
        if Task.isCancelled { throw taskCancellation() }
        // Waits even in a canceled task, so that a piece that was taken is not lost.
        return try await future(context: queue) { try self.takeNext() }.value(cancelling: .none)
    }

    private func takeNext() throws -> Taken {
        if token.isCancelled { throw CancellationError() }
        if let piece = try waiting.popFirst() {
            letGo(piece.count)
            return .piece(piece)
        }
        if let end {
            try end.get()
            return .end
        }
        let arrival = arrival ?? Promise()
        self.arrival = arrival
        return .arrival(arrival.future)
    }

    private func wakeReaders() { arrival.take()?.trySuccess() }

    private func listen(_ new: StreamEmitter<Data>) {
        queue.async {
            self.emitter = new
            do {
                while let piece = try self.waiting.popFirst() {
                    new.success(piece)
                    self.letGo(piece.count)
                }
            } catch {
                self.end = .failure(error)
            }
            self.finishIfEnded()
        }
    }

    private func finishIfEnded() {
        guard let emitter, let end else { return }
        self.emitter = nil
        switch end {
        case .success: emitter.finish()
        case .failure(let error): emitter.finish(with: error)
        }
    }

    // MARK: The delegate

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        if !response.isInformational {
            queue.async { [self] in completion.exchange(nil)?(.success((Lease(self), response))) }
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        #if canImport(FoundationNetworking)
        // The session belongs to this transfer and may wait, so it takes no other piece before this one was emitted.
        queue.sync { pass(data) }
        #else
        // The session and its queue belong to the user: other transfers must not wait for a callback. Instead the task
        // is suspended while pieces pile up.
        if backlog.withLock({ $0.add(data.count) }) { dataTask.suspend() }
        queue.async { [self] in pass(data) }
        #endif
    }

    private func pass(_ data: Data) {
        if let emitter {
            emitter.success(data)
            return letGo(data.count)
        }
        // After a piece that could not be stored, later pieces are dropped, because there would be a gap.
        guard end == nil else { return }
        do {
            try waiting.append(data)
        } catch {
            // Stored pieces can still be read, but this one could not be stored.
            end = .failure(error)
            cancelTask()
        }
        wakeReaders()
    }

    /// Records that bytes were read.
    private func letGo(_ count: Int) {
        #if !canImport(FoundationNetworking)
        if backlog.withLock({ $0.remove(count) }) { task.withLock { $0 }?.resume() }
        #endif
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        // From now on the task is not canceled: FoundationNetworking may end the program if that happens as it completes.
        self.task.exchange(nil)
        #if canImport(FoundationNetworking)
        leaveSession()
        #endif
        queue.async { [self] in
            if end == nil { end = error.map { .failure($0) } ?? .success(()) }
            if let completion = completion.exchange(nil) { completion(head(of: task, error)) }
            finishIfEnded()
            wakeReaders()
        }
    }

    /// The result of a task that has ended without passing a response to its delegate.
    ///
    /// FoundationNetworking (Swift 6.3.1) ends like that with a redirection without a location.
    private func head(of task: URLSessionTask, _ error: (any Error)?) -> Result<Head, any Error> {
        if let error { return .failure(error) }
        return task.response.map { .success((Lease(self), $0)) } ?? .failure(URLError(.badServerResponse))
    }
}

extension URLResponse {
    /// Whether the server sends another response after this one, such as after 100 Continue.
    ///
    /// FoundationNetworking (Swift 6.3.1) passes these to the delegate too. 101, for a new protocol, is the last one.
    fileprivate var isInformational: Bool {
        guard let status = (self as? HTTPURLResponse)?.statusCode else { return false }
        return (100..<200).contains(status) && status != 101
    }
}
