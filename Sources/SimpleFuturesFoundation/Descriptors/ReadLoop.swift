import Dispatch
import Foundation
import SimpleFutures

/// Reads a descriptor whenever bytes are available, until its end or until stopped.
///
/// It passes the bytes on in order, one piece at a time, and reads no more before that returns.
final class ReadLoop: Sendable {
    /// The result of a read.
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
    private let unread: Lock<Event?>
    private let isOver: @Sendable () -> Bool
    private let pass: @Sendable (Event) -> Event?
    private let state = Lock(State())

    /// - Parameters:
    ///   - descriptor: The descriptor to read. It is closed when the loop has ended and there are no other references.
    ///   - chunkSize: The size of the largest piece, in bytes.
    ///   - queue: A serial queue, on which the loop reads.
    ///   - unread: The event that a stopped loop had read. Loops that follow each other on one queue share it.
    ///   - isOver: Called on the queue, before the loop looks for bytes, and directly before and after each read. If it
    ///     returns true, the loop is stopped.
    ///   - pass: Called with each event, on the queue. Returns what it could not pass on because the loop was stopped
    ///     in the meantime: that belongs to the next loop.
    init(
        _ descriptor: Descriptor, chunkSize: Int, on queue: DispatchQueue, unread: Lock<Event?> = Lock(nil),
        isOver: @escaping @Sendable () -> Bool = { false },
        _ pass: @escaping @Sendable (Event) -> Event?
    ) {
        self.descriptor = descriptor
        self.chunkSize = chunkSize
        self.queue = queue
        self.unread = unread
        self.isOver = isOver
        self.pass = pass
    }

    func start() { queue.async { self.readOn() } }

    /// Stops passing pieces on, except for one that is being passed on at the moment.
    func stop() {
        let waiting = state.withLock { state -> Registration? in
            state.isStopped = true
            return state.waiting.take()
        }
        waiting?.cancel()
    }

    private var hasEnded: Bool { state.withLock { $0.isStopped } || isOver() }

    /// Runs on the queue.
    private func readOn() {
        guard !hasEnded else { return }
        let event: Event
        if let read = unread.exchange(nil) {
            event = read
        } else {
            guard descriptor.isReady(for: .reading) else { return wait() }
            // Checked last: bytes that arrive after the end of the stream are not read.
            guard !hasEnded else { return }
            switch descriptor.read(upTo: chunkSize) {
            case .bytes(let data): event = .bytes(data)
            case .nothing: return wait()
            case .end: event = .end
            case .failed(let error): event = .failed(error)
            }
        }
        // An event that is read after the loop was stopped belongs to the next loop. A socket reports an error only once.
        guard !hasEnded else { return unread.withLock { $0 = event } }
        guard case .bytes = event else { return finish(event) }
        if let rest = pass(event) { return unread.withLock { $0 = rest } }
        // Dispatched, so that other tasks can use the queue between two pieces.
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
        if let rest = pass(event) { unread.withLock { $0 = rest } }
    }
}
