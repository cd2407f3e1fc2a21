import Dispatch
import Foundation

/// Reads what is appended to a file, ten times a second.
///
/// Sendable because everything that changes is used only on `queue`, which is serial.
final class FileWatcher: @unchecked Sendable {
    private let path: String
    private let chunkSize: Int
    private let chunk: @Sendable (Data) -> Void
    private let completion: @Sendable ((any Error)?) -> Void
    private let queue = DispatchQueue(label: "MigrationTour.FileWatcher", target: .global())

    private var descriptor: Int32 = -1
    private var position: off_t = 0
    private var timer: (any DispatchSourceTimer)?
    private var hasEnded = false

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
        queue.async { self.end(with: self.readOn()) }
    }

    private func openFile() {
        guard !hasEnded else { return }
        do { descriptor = try openForReading(path) } catch { return end(with: error) }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now(), repeating: .milliseconds(100))
        timer.setEventHandler {
            if let failure = self.readOn() { self.end(with: failure) }
        }
        timer.activate()
        self.timer = timer
    }

    /// Reads up to the end that the file has now.
    private func readOn() -> FileError? {
        guard descriptor >= 0 else { return nil }
        var info = stat()
        guard fstat(descriptor, &info) == 0 else { return .system(errno) }
        if info.st_size < position { position = 0 }
        var buffer = [UInt8](repeating: 0, count: chunkSize)
        while true {
            let count = pread(descriptor, &buffer, chunkSize, position)
            guard count >= 0 else { return errno == EAGAIN || errno == EINTR ? nil : .system(errno) }
            guard count > 0 else { return nil }
            position += off_t(count)
            chunk(Data(buffer.prefix(count)))
        }
    }

    private func end(with failure: FileError?) {
        guard !hasEnded else { return }
        hasEnded = true
        timer?.cancel()
        timer = nil
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
        completion(failure)
    }
}
