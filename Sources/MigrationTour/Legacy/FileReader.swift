import Dispatch
import Foundation

/// Reads one file through `DispatchIO`, chunk by chunk.
///
/// Sendable because everything that changes is used only on `queue`, which is serial.
final class FileReader: @unchecked Sendable {
    private let path: String
    private let chunkSize: Int
    private let chunk: @Sendable (Data) -> Void
    private let completion: @Sendable ((any Error)?) -> Void
    private let queue = DispatchQueue(label: "MigrationTour.FileReader", target: .global())

    private var received = 0
    private var channel: DispatchIO?
    private var failure: FileError?

    init(
        path: String,
        chunkSize: Int,
        chunk: @escaping @Sendable (Data) -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        self.path = path
        self.chunkSize = chunkSize
        self.chunk = chunk
        self.completion = completion
    }

    func start() {
        queue.async { self.openFile() }
    }

    func cancel() {
        queue.async { self.stop(failure: .cancelled) }
    }

    private func openFile() {
        if let failure { return completion(failure) }
        let descriptor: Int32
        do { descriptor = try openForReading(path) } catch { return completion(error) }
        channel = DispatchIO(type: .stream, fileDescriptor: descriptor, queue: queue) { code in
            close(descriptor)
            self.report(code)
        }
        readChunk()
    }

    // One chunk at a time: with a single read to the end, a fast disk would pile chunks up in memory.
    private func readChunk() {
        received = 0
        channel?.read(offset: 0, length: chunkSize, queue: queue) { isDone, data, code in
            if let data {
                self.received += data.count
                if !data.isEmpty { self.chunk(Data(data)) }
            }
            guard isDone else { return }
            if code == 0, self.received > 0 {
                self.readChunk()
            } else {
                self.stop(failure: code == 0 ? nil : .system(code))
            }
        }
    }

    private func stop(failure: FileError?) {
        self.failure = self.failure ?? failure
        channel?.close(flags: .stop)
    }

    private func report(_ code: Int32) {
        channel = nil
        completion(failure ?? (code == 0 ? nil : .system(code)))
    }
}
