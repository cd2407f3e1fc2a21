import Dispatch
import Foundation
import SimpleFutures

/// Sees to it that what hangs ends, and says what was alive.
///
/// It uses nothing of the library but its count of the living: the library may be what hangs.
enum Watchdog: Sendable {
    /// How long something may take, in seconds; 0 for ever, as under a debugger.
    ///
    /// `SIMPLEFUTURES_WATCHDOG` in the environment sets it. Long, since the thread sanitizer makes of seconds minutes.
    static let patience =
        ProcessInfo.processInfo.environment["SIMPLEFUTURES_WATCHDOG"].flatMap(TimeInterval.init) ?? 300

    /// What tests do wrong on purpose is not printed.
    private static let isQuiet: Void = FuturesDiagnostics.handler = { _ in }

    /// Whether a sanitizer watches: for it a weak reference costs much, and every future would have one.
    private static let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

    /// When what is waited for now will never come.
    static var deadline: DispatchTime { patience > 0 ? .now() + patience : .distantFuture }

    /// Runs a body, and cancels its task if it does not end in time.
    ///
    /// If it does not end even then, the process does, after the same report on standard error.
    ///
    /// - Parameters:
    ///   - name: What hangs if it does.
    ///   - patience: How long the body may take, in seconds; 0 for ever.
    ///   - grace: How long it may take once it is cancelled, in seconds.
    ///   - body: What may hang.
    /// - Returns: What was thrown, and that it hung, with what was alive when its time was over; under a sanitizer that
    ///   is not counted.
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

/// One watch, between the task that it watches and a queue.
private final class WatchedTest: @unchecked Sendable {
    // Sendable: all but the constants is reached under the lock. The task is alive until the watch has ended.

    private let name: String
    private let queue = DispatchQueue(label: "Watchdog")
    private let lock = NSLock()
    private var report: String?
    private var timer: (any DispatchSourceTimer)?
    private var task: UnsafeCurrentTask?

    init(_ name: String) { self.name = name }

    /// That it has hung.
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
