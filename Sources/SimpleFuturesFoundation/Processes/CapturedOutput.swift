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
    private let limit: Int
    private(set) var isTooLarge = false

    /// - Parameters:
    ///   - limit: How many bytes are held.
    ///   - overflow: Is called once, on the queue, when there are more.
    init(_ pipe: DescriptorPipe, on queue: DispatchQueue, limit: Int, _ overflow: @escaping @Sendable () -> Void) {
        descriptor = pipe.reading
        self.limit = limit
        descriptor.makeNonBlocking()
        let loop = ReadLoop(descriptor, chunkSize: 65_536, on: queue) { [weak self] event in
            if case .bytes(let bytes) = event, self?.add(bytes) == false { overflow() }
        }
        self.loop = loop
        loop.start()
    }

    /// False when it has become too large by that; what comes then is read, so that the child can end, and dropped.
    private func add(_ bytes: Data) -> Bool {
        guard !isTooLarge else { return true }
        isTooLarge = data.count + bytes.count > limit
        if isTooLarge { data = Data() } else { data.append(bytes) }
        return !isTooLarge
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
            _ = add(bytes)
            rest -= bytes.count
        }
        descriptor.close()
        return data
    }
}
#endif
