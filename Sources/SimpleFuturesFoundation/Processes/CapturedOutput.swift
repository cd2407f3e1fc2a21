#if os(macOS) || os(Linux)
import Dispatch
import Foundation
import SimpleFutures

/// Collects the output of a child.
final class CapturedOutput: @unchecked Sendable {
    // Sendable: mutable state is accessed only on the serial queue.

    private let descriptor: Descriptor
    private var data = Data()
    private var loop: ReadLoop?
    private let limit: Int
    private(set) var isTooLarge = false

    /// - Parameters:
    ///   - limit: The largest output in bytes.
    ///   - overflow: Called once, on the queue, when the output is larger.
    init(_ pipe: DescriptorPipe, on queue: DispatchQueue, limit: Int, _ overflow: @escaping @Sendable () -> Void) {
        descriptor = pipe.reading
        self.limit = limit
        descriptor.makeNonBlocking()
        let loop = ReadLoop(descriptor, chunkSize: 65_536, on: queue) { [weak self] event in
            if case .bytes(let bytes) = event, self?.add(bytes) == false { overflow() }
            return nil
        }
        self.loop = loop
        loop.start()
    }

    /// Adds bytes.
    ///
    /// Returns false if the output has become too large; later bytes are read, so that the child can end, and dropped.
    private func add(_ bytes: Data) -> Bool {
        guard !isTooLarge else { return true }
        isTooLarge = data.count + bytes.count > limit
        if isTooLarge { data = Data() } else { data.append(bytes) }
        return !isTooLarge
    }

    /// Called when the child has ended: returns its output and closes the pipe.
    ///
    /// It does not read up to the end of the file, which comes only when the child's own children, if they have
    /// inherited the pipe, have ended too. The child's own remaining output is at most the capacity of the pipe.
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
