#if os(macOS) || os(Linux)
import Dispatch
import Foundation
import SimpleFutures

/// Writes the input of a child, as fast as it reads, then closes the pipe.
final class InputWriter: @unchecked Sendable {
    // Sendable: mutable state is accessed only on the serial queue.

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
    }

    /// Starts writing.
    ///
    /// Like the other functions, it must be called on the queue.
    func start() {
        if rest.isEmpty { stop() } else { writeOn() }
    }

    /// Drops the rest of the input.
    func stop() {
        waiting?.cancel()
        rest = Data()
        isStopped = true
        descriptor.close()
    }

    /// Writes one piece, so that other tasks can run on the queue in between.
    private func writeOn() {
        guard !isStopped else { return }
        let count = rest.prefix(65_536).withUnsafeBytes { bytes in
            withoutSIGPIPE(on: descriptor.number) {
                Foundation.write(descriptor.number, bytes.baseAddress, bytes.count)
            }
        }
        switch count < 0 ? errno : 0 {
        case 0: rest = rest.dropFirst(count)
        case EINTR: break
        case EAGAIN:
            waiting = try? Poller.shared.whenReady(descriptor, for: .writing, on: queue) { self.writeOn() }
            return
        // The child has closed its input.
        default: rest = Data()
        }
        if rest.isEmpty { stop() } else { queue.async { self.writeOn() } }
    }
}
#endif
