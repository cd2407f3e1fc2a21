import Dispatch
import Foundation

/// Stage 1: completion handlers.
///
/// The job needs two calls for each file, a time limit, a limit on files in flight, rows in order, and cancellation. The
/// API has none of these, so they are written by hand.
struct Stage1Callbacks: Sendable {
    let limits: Limits

    func rows(for files: [InputFile], completion: @escaping @Sendable ([Row]) -> Void) -> LegacyRequest {
        let call = RowsCall(self, files, completion)
        call.start()
        return LegacyRequest { call.cancel() }
    }

    func row(for file: InputFile, completion: @escaping @Sendable (Row) -> Void) -> LegacyRequest {
        let call = RowCall(self, file, completion)
        call.start()
        return LegacyRequest { call.cancel() }
    }

    func counts(
        of file: InputFile, completion: @escaping @Sendable (Counts?, (any Error)?) -> Void
    ) -> LegacyRequest {
        let counter = LockedCounter()
        return readFile(at: file.path, chunkSize: limits.chunkSize, chunk: { counter.add($0) }) { error in
            if let error { completion(nil, error) } else { completion(counter.counts, nil) }
        }
    }

    func checksum(
        of file: InputFile, completion: @escaping @Sendable (Result<Checksum, FileError>) -> Void
    ) -> LegacyRequest {
        runChecksum(of: file.path, program: limits.checksumProgram, completion: completion)
    }
}

/// Keeps `limits.jobs` files in flight until each file has its row.
///
/// Sendable because `lock` protects everything that changes.
private final class RowsCall: @unchecked Sendable {
    private let stage: Stage1Callbacks
    private let files: [InputFile]
    private let completion: @Sendable ([Row]) -> Void

    private let lock = NSLock()
    private var rows: [Row?]
    private var requests: [Int: LegacyRequest] = [:]
    private var nextIndex = 0
    private var filesInFlight = 0
    private var isCancelled = false

    init(_ stage: Stage1Callbacks, _ files: [InputFile], _ completion: @escaping @Sendable ([Row]) -> Void) {
        self.stage = stage
        self.files = files
        self.completion = completion
        rows = Array(repeating: nil, count: files.count)
    }

    func start() {
        if files.isEmpty { DispatchQueue.global().async { self.completion([]) } } else { startFiles() }
    }

    /// Cancels the files in flight.
    ///
    /// `startFiles` cancels the others when their turn comes.
    func cancel() {
        let requests = lock.withLock {
            isCancelled = true
            return self.requests.values
        }
        requests.forEach { $0.cancel() }
    }

    private func startFiles() {
        while let index = lock.withLock(takeIndex) {
            let request = stage.row(for: files[index]) { self.end(index, $0) }
            let isCancelled = lock.withLock {
                // The row can be there already.
                if rows[index] == nil { requests[index] = request }
                return self.isCancelled
            }
            if isCancelled { request.cancel() }
        }
    }

    private func takeIndex() -> Int? {
        guard filesInFlight < stage.limits.jobs, nextIndex < files.count else { return nil }
        filesInFlight += 1
        defer { nextIndex += 1 }
        return nextIndex
    }

    private func end(_ index: Int, _ row: Row) {
        let rows: [Row]? = lock.withLock {
            self.rows[index] = row
            requests[index] = nil
            filesInFlight -= 1
            let isLast = filesInFlight == 0 && nextIndex == files.count
            return isLast ? self.rows.compactMap { $0 } : nil
        }
        if let rows { completion(rows) } else { startFiles() }
    }
}

/// The two calls for one file, and its timer.
///
/// Sendable because `lock` protects everything that changes.
private final class RowCall: @unchecked Sendable {
    private let stage: Stage1Callbacks
    private let file: InputFile
    private let completion: @Sendable (Row) -> Void

    private let lock = NSLock()
    private var row: Row?
    private var counts: Counts?
    private var checksum: Checksum?
    private var callsLeft = 2
    private var requests: [LegacyRequest] = []
    private var timer: (any DispatchSourceTimer)?

    init(_ stage: Stage1Callbacks, _ file: InputFile, _ completion: @escaping @Sendable (Row) -> Void) {
        self.stage = stage
        self.file = file
        self.completion = completion
    }

    func start() {
        startTimer()
        let counting = stage.counts(of: file) { counts, error in
            self.lock.withLock { self.counts = counts }
            self.endCall(error)
        }
        let summing = stage.checksum(of: file) { result in
            self.lock.withLock { self.checksum = try? result.get() }
            if case .failure(let error) = result { self.endCall(error) } else { self.endCall(nil) }
        }
        let isSettled = lock.withLock {
            requests = [counting, summing]
            return row != nil
        }
        if isSettled { cancelRequests() }
    }

    func cancel() { settle(Row(file, failure: FileError.cancelled)) }

    private func startTimer() {
        let timer = DispatchSource.makeTimerSource(queue: .global())
        let (seconds, attoseconds) = stage.limits.timeout.components
        timer.schedule(deadline: .now() + .seconds(Int(seconds)) + .nanoseconds(Int(attoseconds / 1_000_000_000)))
        timer.setEventHandler {
            self.settle(Row(self.file, failure: FileError.timedOut(after: self.stage.limits.timeout)))
        }
        lock.withLock { self.timer = timer }
        timer.activate()
    }

    // A canceled call holds its descriptors until it ends. The row is passed on after that.
    private func endCall(_ error: (any Error)?) {
        if let error { settle(Row(file, failure: error)) }
        let (isLast, counts, checksum) = lock.withLock {
            callsLeft -= 1
            return (callsLeft == 0, self.counts, self.checksum)
        }
        guard isLast else { return }
        if let counts, let checksum {
            do { settle(try Row(file, counts, checksum)) } catch { settle(Row(file, failure: error)) }
        }
        if let row = lock.withLock({ row }) { completion(row) }
    }

    // The first row wins. The calls that are still under way are canceled.
    private func settle(_ row: Row) {
        let timer: (any DispatchSourceTimer)? = lock.withLock {
            guard self.row == nil else { return nil }
            self.row = row
            defer { self.timer = nil }
            return self.timer
        }
        guard let timer else { return }
        timer.cancel()
        cancelRequests()
    }

    private func cancelRequests() {
        let requests = lock.withLock {
            defer { self.requests = [] }
            return self.requests
        }
        requests.forEach { $0.cancel() }
    }
}

/// Counts the chunks of a file.
///
/// Sendable because `lock` protects the counter.
private final class LockedCounter: @unchecked Sendable {
    private let lock = NSLock()
    private var counter = Counter()

    var counts: Counts { lock.withLock { counter.counts } }

    func add(_ chunk: Data) { lock.withLock { counter.add(chunk) } }
}
