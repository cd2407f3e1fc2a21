#if os(macOS) || os(Linux)
import Dispatch
import Foundation
import SimpleFutures

/// Takes up what a child writes.
final class CapturedOutput: @unchecked Sendable {
    // Sendable, because what changes is touched on the queue alone, which is serial.

    private let descriptor: Descriptor
    private var data = Data()
    private var loop: ReadLoop?

    init(_ pipe: DescriptorPipe, on queue: DispatchQueue) {
        descriptor = pipe.reading
        descriptor.makeNonBlocking()
        let loop = ReadLoop(descriptor, chunkSize: 65_536, on: queue) { [weak self] event in
            if case .bytes(let bytes) = event { self?.data.append(bytes) }
        }
        self.loop = loop
        loop.start()
    }

    /// The child has ended: what it has written, and the pipe is closed.
    ///
    /// Not read to the end of the file: that comes only when the child's own children have ended too, if they have the
    /// pipe. What the child has written itself is no more than the pipe holds.
    func end() -> Data {
        loop?.stop()
        loop = nil
        var rest = descriptor.pipeCapacity
        while rest > 0, case .bytes(let bytes) = descriptor.read(upTo: min(rest, 65_536)) {
            data.append(bytes)
            rest -= bytes.count
        }
        descriptor.close()
        return data
    }
}
#endif
