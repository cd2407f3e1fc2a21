#if os(macOS) || os(Linux)
import Dispatch
import Foundation
import SimpleFutures

/// Writes what a child reads, as fast as it reads, then closes the pipe.
final class InputWriter: @unchecked Sendable {
    // Sendable, because what changes is touched on the queue alone, which is serial.

    private let descriptor: Descriptor
    private let queue: DispatchQueue
    private var rest: Data
    private var waiting: Registration?
    private var isStopped = false

    init(_ data: Data, to descriptor: Descriptor, on queue: DispatchQueue) {
        rest = data
        self.descriptor = descriptor
        self.queue = queue
        descriptor.makeNonBlocking()
        #if canImport(Darwin)
        _ = fcntl(descriptor.number, F_SETNOSIGPIPE, 1)
        #endif
    }

    /// On the queue, as is the rest.
    func start() {
        if rest.isEmpty { stop() } else { writeOn() }
    }

    /// Gives up what is left.
    func stop() {
        waiting?.cancel()
        rest = Data()
        isStopped = true
        descriptor.close()
    }

    /// One piece, so that others have their turn on the queue.
    private func writeOn() {
        guard !isStopped else { return }
        let count = rest.prefix(65_536).withUnsafeBytes { bytes in
            withoutSIGPIPE { Foundation.write(descriptor.number, bytes.baseAddress, bytes.count) }
        }
        switch count < 0 ? errno : 0 {
        case 0: rest = rest.dropFirst(count)
        case EINTR: break
        case EAGAIN:
            waiting = try? Poller.shared.whenReady(descriptor, for: .writing, on: queue) { self.writeOn() }
            return
        // The child reads no more.
        default: rest = Data()
        }
        if rest.isEmpty { stop() } else { queue.async { self.writeOn() } }
    }
}
#endif
