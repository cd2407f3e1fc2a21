import Dispatch

/// Stage 1: completion blocks and nothing else.
///
/// This is where many code bases are. What the legacy API does not do is written by hand: joining two calls, the time
/// limit, the bound on files in flight, the order of the rows, and that each ends once.
enum Stage1Callbacks {
    /// Works on the files and calls `completion` once, on a background queue, with their rows in the files' order.
    static func rows(
        for files: [InputFile],
        limits: Limits,
        completion: @escaping @Sendable ([Row]) -> Void
    ) {
        let run = CallbackRun(files: files, limits: limits, completion: completion)
        run.queue.async { run.startFiles() }
    }
}

/// Keeps `limits.jobs` files in flight until all have their row.
///
/// Sendable because everything that changes is touched on `queue` alone, which is serial.
private final class CallbackRun: @unchecked Sendable {
    let queue = DispatchQueue(label: "MigrationTour.Stage1Callbacks", target: .global())
    private let files: [InputFile]
    private let limits: Limits
    private let completion: @Sendable ([Row]) -> Void

    private var rows: [Row?]
    private var nextFile = 0
    private var inFlight = 0

    init(files: [InputFile], limits: Limits, completion: @escaping @Sendable ([Row]) -> Void) {
        self.files = files
        self.limits = limits
        self.completion = completion
        rows = Array(repeating: nil, count: files.count)
    }

    func startFiles() {
        while inFlight < limits.jobs, nextFile < files.count {
            let index = nextFile
            nextFile += 1
            inFlight += 1
            let job = FileJob(file: files[index], limits: limits, queue: queue) { row in
                self.rows[index] = row
                self.inFlight -= 1
                self.startFiles()
            }
            job.start()
        }
        if inFlight == 0 { completion(rows.compactMap { $0 }) }
    }
}

/// The calls for one file, and the race between them and the clock.
///
/// Sendable because everything that changes is touched on `queue` alone, which is serial and belongs to the run.
private final class FileJob: @unchecked Sendable {
    private let file: InputFile
    private let limits: Limits
    private let queue: DispatchQueue
    private let completion: @Sendable (Row) -> Void

    private var timer: (any DispatchSourceTimer)?
    private var requests: [LegacyRequest] = []
    private var counts: Counts?
    private var checksum: Checksum?
    private var callsUnderWay = 2
    private var row: Row?

    /// `completion` runs once, on `queue`, never before `start` has returned.
    init(file: InputFile, limits: Limits, queue: DispatchQueue, completion: @escaping @Sendable (Row) -> Void) {
        self.file = file
        self.limits = limits
        self.queue = queue
        self.completion = completion
    }

    func start() {
        startTimer()
        let counting = countFile(at: file.path, chunkSize: limits.chunkSize) { counts, error in
            self.queue.async {
                self.counts = counts
                self.endCall(error)
            }
        }
        let summing = runChecksum(of: file.path, program: limits.checksumProgram) { result in
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
        let (seconds, attoseconds) = limits.timeout.components
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + .seconds(Int(seconds)) + .nanoseconds(Int(attoseconds / 1_000_000_000)))
        timer.setEventHandler {
            self.settle(Row(self.file, failure: FileError.timedOut(after: self.limits.timeout)))
        }
        timer.activate()
        self.timer = timer
    }

    private func endCall(_ error: (any Error)?) {
        callsUnderWay -= 1
        if let error {
            settle(Row(file, failure: error))
        } else if let counts, let checksum {
            do { settle(try Row(file, counts, checksum)) } catch { settle(Row(file, failure: error)) }
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
