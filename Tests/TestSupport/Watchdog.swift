import Dispatch
import Foundation
import SimpleFutures

/// Ends hanging tests, and reports the live objects.
///
/// It uses only the library's tracking of live objects, because the library may be the part that hangs.
enum Watchdog: Sendable {
    /// How long a test may take, in seconds; 0 means without limit, as under a debugger.
    ///
    /// `SIMPLEFUTURES_WATCHDOG` in the environment sets it. The default is long, because tests take minutes under the
    /// thread sanitizer.
    static let patience =
        ProcessInfo.processInfo.environment["SIMPLEFUTURES_WATCHDOG"].flatMap(TimeInterval.init) ?? 300

    /// Deliberate mistakes in tests are not printed.
    private static let isQuiet: Void = FuturesDiagnostics.handler = { _ in }

    /// Whether a sanitizer is active: weak references are expensive then, and every future would have one.
    private static let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

    /// The time after which an event will never happen.
    static var deadline: DispatchTime { patience > 0 ? .now() + patience : .distantFuture }

    /// Runs a body, and cancels its task if it does not end in time.
    ///
    /// If it still does not end, the process is terminated, after the same report on standard error.
    ///
    /// - Parameters:
    ///   - name: The name for the report.
    ///   - patience: How long the body may take, in seconds; 0 means without limit.
    ///   - grace: How long it may take after its cancellation, in seconds.
    ///   - body: The code that may hang.
    /// - Returns: The thrown error, and a report with the live objects if it hung; under a sanitizer objects are not
    ///   counted.
    static func watch(
        _ name: String, patience: TimeInterval = patience, grace: TimeInterval = 60,
        _ body: @Sendable () async throws -> Void
    ) async -> (error: (any Error)?, hang: String?) {
        _ = isQuiet
        let watch = WatchedTest(name)
        let counts = patience > 0 && !isSanitized
        if counts { Census.begin() }
        defer { if counts { Census.end() } }
        let error = await withUnsafeCurrentTask { task -> (any Error)? in
            if let task, patience > 0 { watch.begin(task, patience, grace) }
            defer { watch.end() }
            do {
                try await body()
                return nil
            } catch {
                return error
            }
        }
        return (error, watch.hang)
    }
}

/// A watch of one task, shared between the task and a queue.
private final class WatchedTest: @unchecked Sendable {
    // Sendable: mutable state is accessed under the lock. The task lives until the watch has ended.

    private let name: String
    private let queue = DispatchQueue(label: "Watchdog")
    private let lock = NSLock()
    private var report: String?
    private var timer: (any DispatchSourceTimer)?
    private var task: UnsafeCurrentTask?

    init(_ name: String) { self.name = name }

    /// The report, if the task has hung.
    var hang: String? { lock.withLock { report } }

    func begin(_ task: UnsafeCurrentTask, _ patience: TimeInterval, _ grace: TimeInterval) {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + patience, repeating: grace)
        timer.setEventHandler { [weak self] in self?.bark(patience) }
        (self.task, self.timer) = (task, timer)
        timer.resume()
    }

    func end() {
        lock.withLock {
            timer?.cancel()
            (task, timer) = (nil, nil)
        }
    }

    private func bark(_ patience: TimeInterval) {
        let living = Census.report
        lock.withLock {
            guard let task else { return }
            if let report {
                let end = "\(report)It was cancelled, and has not ended even so.\n"
                FileHandle.standardError.write(Data(end.utf8))
                abort()
            }
            let list = living.isEmpty ? "    nothing\n" : living.map { "    \($0)\n" }.joined()
            report = "\(name) has not ended in \(patience) seconds. Alive are:\n\(list)"
            task.cancel()
        }
    }
}
