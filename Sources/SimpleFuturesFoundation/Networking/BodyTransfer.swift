import Dispatch
import Foundation
import SimpleFutures
import SimpleFuturesInterop

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One transfer whose body is a stream: between the delegate's methods and those who listen.
final class BodyTransfer: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    // Sendable: what changes is under a lock, or touched on the queue alone, which is serial.

    typealias Head = (FutureStream<Data>, URLResponse)

    private let queue = DispatchQueue(label: "SimpleFuturesFoundation.BodyTransfer")
    private let capacity: Int
    private let token: CancelToken
    /// Let go when it is called: it has the future, and that the body, which has this.
    private let completion: Lock<(@Sendable (Result<Head, any Error>) -> Void)?>
    private let task = Lock<URLSessionTask?>(nil)
    private let backlog = Lock(BodyBacklog())
    #if canImport(FoundationNetworking)
    private let sessionLink = Lock<URLSessionTask?>(nil)
    #endif

    private var hasHead = false
    private var emitter: StreamEmitter<Data>?
    /// What has come before anybody has listened.
    private var waiting: [Data] = []
    private var end: Result<Void, any Error>?

    init(
        capacity: Int, cancelToken: CancelToken, _ completion: @escaping @Sendable (Result<Head, any Error>) -> Void
    ) {
        self.capacity = capacity
        token = cancelToken.child()
        self.completion = Lock(completion)
    }

    func start(_ request: URLRequest, in session: URLSession) {
        #if canImport(FoundationNetworking)
        // A task has no delegate of its own there, so the transfer has a session of its own. The user's session has a
        // task that never starts: it is cancelled when that session is invalidated, which waits for it otherwise.
        let link = session.downloadTask(with: request) { [weak self] _, _, _ in
            if let self, let task = task.withLock({ $0 }) { cancel(task) }
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
        #endif
    }

    /// Ends the transfer, unless it has ended, and cancels the body.
    func stop() {
        if let task = task.exchange(nil) { cancel(task) }
        token.cancel()
    }

    private func cancel(_ task: URLSessionTask) {
        #if canImport(FoundationNetworking)
        leaveSession()
        // There it waits for the session, which may be busy with reading for a second.
        DispatchQueue.global().async { task.cancel() }
        #else
        task.cancel()
        #endif
    }

    #if canImport(FoundationNetworking)
    private func leaveSession() { sessionLink.exchange(nil)?.cancel() }
    #endif

    // MARK: Those who listen

    private func makeBody() -> FutureStream<Data> {
        let lease = Lease(self)
        return FutureStream(capacity: capacity, cancelToken: token, context: ImmediateContext()) { emitter in
            lease.transfer.listen(emitter)
            return CancelAction { lease.transfer.stop() }
        }
    }

    /// Held by those who may yet listen, and by those who do.
    private final class Lease: Sendable {
        let transfer: BodyTransfer

        init(_ transfer: BodyTransfer) { self.transfer = transfer }

        deinit { transfer.stop() }
    }

    private func listen(_ new: StreamEmitter<Data>) {
        queue.async {
            self.emitter = new
            for data in self.waiting { new.success(data) }
            self.waiting = []
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
        queue.async { [self] in
            guard !hasHead else { return }
            hasHead = true
            completion.exchange(nil)?(.success((makeBody(), response)))
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        #if canImport(FoundationNetworking)
        // The session is this transfer's own and may wait, so the next piece is not taken before this one was emitted.
        queue.sync { pass(data) }
        #else
        // The session is the user's, and so is the queue this is called on: other transfers do not wait for a callback.
        // It is the task that stops, as long as pieces pile up.
        if backlog.withLock({ $0.add() }) { dataTask.suspend() }
        queue.async { [self] in
            pass(data)
            if backlog.withLock({ $0.remove() }) { dataTask.resume() }
        }
        #endif
    }

    private func pass(_ data: Data) {
        if let emitter { emitter.success(data) } else { waiting.append(data) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        #if canImport(FoundationNetworking)
        leaveSession()
        #endif
        queue.async { [self] in
            end = error.map { .failure($0) } ?? .success(())
            completion.exchange(nil)?(.failure(error ?? URLError(.badServerResponse)))
            finishIfEnded()
        }
    }
}
