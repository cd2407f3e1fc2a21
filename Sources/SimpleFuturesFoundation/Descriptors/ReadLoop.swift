import Dispatch
import Foundation
import SimpleFutures

/// Reads a descriptor whenever there is something to read, until its end or until stopped.
///
/// What it has read it hands on in order, one piece at a time; as long as that takes, nothing more is read.
final class ReadLoop: Sendable {
    /// What is handed on.
    enum Event: Sendable {
        case bytes(Data)
        case end
        case failed(POSIXError)
    }

    private struct State {
        var isStopped = false
        var waiting: Registration?
    }

    private let descriptor: Descriptor
    private let queue: DispatchQueue
    private let chunkSize: Int
    private let unread: Lock<Data?>
    private let pass: @Sendable (Event) -> Void
    private let state = Lock(State())

    /// - Parameters:
    ///   - descriptor: What to read. It is closed when the loop has ended and nobody else has it.
    ///   - chunkSize: The size of the largest piece, in bytes.
    ///   - queue: Where to read; a serial one.
    ///   - unread: What a loop had read when it was stopped. Loops that follow each other on one queue share it.
    ///   - pass: Gets what was read, on the queue.
    init(
        _ descriptor: Descriptor, chunkSize: Int, on queue: DispatchQueue, unread: Lock<Data?> = Lock(nil),
        _ pass: @escaping @Sendable (Event) -> Void
    ) {
        self.descriptor = descriptor
        self.chunkSize = chunkSize
        self.queue = queue
        self.unread = unread
        self.pass = pass
    }

    func start() { queue.async { self.readOn() } }

    /// Nothing is handed on any more, but for what is just being handed on.
    func stop() {
        let waiting = state.withLock { state -> Registration? in
            state.isStopped = true
            return state.waiting.take()
        }
        waiting?.cancel()
    }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    /// On the queue.
    private func readOn() {
        guard !isStopped else { return }
        let data: Data
        if let read = unread.exchange(nil) {
            data = read
        } else {
            guard descriptor.isReady(for: .reading) else { return wait() }
            switch descriptor.read(upTo: chunkSize) {
            case .bytes(let read): data = read
            case .nothing: return wait()
            case .end: return finish(.end)
            case .failed(let error): return finish(.failed(error))
            }
        }
        // What was written after this loop was stopped belongs to the next one.
        guard !isStopped else { return unread.withLock { $0 = data } }
        pass(.bytes(data))
        // Others may use the queue between two pieces.
        start()
    }

    private func wait() {
        do {
            let waiting = try Poller.shared.whenReady(descriptor, for: .reading, on: queue) { self.readOn() }
            let isStopped = state.withLock { state in
                state.waiting = waiting
                return state.isStopped
            }
            if isStopped { waiting.cancel() }
        } catch {
            finish(.failed(error as? POSIXError ?? .last))
        }
    }

    private func finish(_ event: Event) {
        stop()
        pass(event)
    }
}
