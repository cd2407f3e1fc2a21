import Dispatch

/// Stage 1: completion handlers and nothing else.
///
/// This is where many code bases are. What the legacy API does not do is written by hand: joining two calls, the time
/// limit, the bound on files in flight, the order of the rows, cancellation, and that each ends once.
struct Stage1Callbacks: Sendable {
    let job: Job

    func counts(
        of file: InputFile,
        completion: @escaping @Sendable (Counts?, (any Error)?) -> Void
    ) -> LegacyRequest {
        countFile(at: file.path, chunkSize: job.limits.chunkSize, completion: completion)
    }

    func checksum(
        of file: InputFile,
        completion: @escaping @Sendable (Result<Checksum, any Error>) -> Void
    ) -> LegacyRequest {
        runChecksum(of: file.path, program: job.limits.checksumProgram) { result in
            completion(result.mapError { $0 })
        }
    }

    func row(for file: InputFile, completion: @escaping @Sendable (Row) -> Void) -> LegacyRequest {
        let row = CallbackRow(job, file, completion: completion)
        row.queue.async { row.start() }
        return LegacyRequest { row.cancel() }
    }

    func rows(for files: [InputFile], completion: @escaping @Sendable ([Row]) -> Void) -> LegacyRequest {
        let table = CallbackTable(job, files, completion: completion)
        table.queue.async { table.startFiles() }
        return LegacyRequest { table.cancel() }
    }
}

/// The calls for one file, and the race between them and the clock.
///
/// Sendable because everything that changes is touched on `queue` alone, which is serial.
private final class CallbackRow: @unchecked Sendable {
    let queue = DispatchQueue(label: "MigrationTour.CallbackRow", target: .global())
    private let job: Job
    private let file: InputFile
    private let completion: @Sendable (Row) -> Void

    private var timer: (any DispatchSourceTimer)?
    private var requests: [LegacyRequest] = []
    private var counts: Counts?
    private var checksum: Checksum?
    private var callsUnderWay = 2
    private var row: Row?

    init(_ job: Job, _ file: InputFile, completion: @escaping @Sendable (Row) -> Void) {
        self.job = job
        self.file = file
        self.completion = completion
    }

    func cancel() {
        queue.async { self.settle(self.job.errorRow(for: self.file, FileError.cancelled)) }
    }

    func start() {
        startTimer()
        let counting = job.counts(of: file) { counts, error in
            self.queue.async {
                self.counts = counts
                self.endCall(error)
            }
        }
        let summing = job.checksum(of: file) { result in
            self.queue.async {
                switch result {
                case .success(let checksum):
                    self.checksum = checksum
                    self.endCall(nil)
                case .failure(let error):
                    self.endCall(error)
                }
            }
        }
        requests = [counting, summing]
    }

    private func startTimer() {
        let (seconds, attoseconds) = job.limits.timeout.components
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + .seconds(Int(seconds)) + .nanoseconds(Int(attoseconds / 1_000_000_000)))
        timer.setEventHandler {
            self.settle(self.job.errorRow(for: self.file, FileError.timedOut(after: self.job.limits.timeout)))
        }
        timer.activate()
        self.timer = timer
    }

    private func endCall(_ error: (any Error)?) {
        callsUnderWay -= 1
        if let error {
            settle(job.errorRow(for: file, error))
        } else if let counts, let checksum {
            do { settle(try Row(file, counts, checksum)) } catch { settle(job.errorRow(for: file, error)) }
        }
        finishIfIdle()
    }

    /// The first answer is the row; what is still under way is stopped.
    private func settle(_ row: Row) {
        guard self.row == nil else { return }
        self.row = row
        timer?.cancel()
        timer = nil
        requests.forEach { $0.cancel() }
        requests = []
    }

    // A stopped call holds its descriptors until it has ended; so long the next file does not start.
    private func finishIfIdle() {
        guard callsUnderWay == 0, let row else { return }
        completion(row)
    }
}

/// Keeps `limits.jobs` files in flight until all have their row.
///
/// Sendable because everything that changes is touched on `queue` alone, which is serial.
private final class CallbackTable: @unchecked Sendable {
    let queue = DispatchQueue(label: "MigrationTour.CallbackTable", target: .global())
    private let job: Job
    private let files: [InputFile]
    private let completion: @Sendable ([Row]) -> Void

    private var rows: [Row?]
    private var requests: [Int: LegacyRequest] = [:]
    private var nextFile = 0
    private var isCancelled = false

    init(_ job: Job, _ files: [InputFile], completion: @escaping @Sendable ([Row]) -> Void) {
        self.job = job
        self.files = files
        self.completion = completion
        rows = Array(repeating: nil, count: files.count)
    }

    func startFiles() {
        while requests.count < job.limits.jobs, nextFile < files.count {
            let index = nextFile
            nextFile += 1
            let request = job.row(for: files[index]) { row in
                self.queue.async { self.end(index, row) }
            }
            requests[index] = request
            if isCancelled { request.cancel() }
        }
        if requests.isEmpty { completion(rows.compactMap { $0 }) }
    }

    /// Has every file under way stopped, and each of the others as soon as its turn comes.
    func cancel() {
        queue.async {
            self.isCancelled = true
            self.requests.values.forEach { $0.cancel() }
        }
    }

    private func end(_ index: Int, _ row: Row) {
        rows[index] = row
        requests[index] = nil
        startFiles()
    }
}
