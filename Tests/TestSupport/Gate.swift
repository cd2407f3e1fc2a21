import Dispatch
import SimpleFutures
import Testing

/// A gate that is opened once.
///
/// Callers that pass earlier wait.
///
/// The time limit is a watchdog: a test that exceeds it has failed.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    init() {}

    func open() { semaphore.signal() }

    /// Blocks until the gate is open, and leaves it open.
    func pass(sourceLocation: SourceLocation = #_sourceLocation) {
        let result = semaphore.wait(timeout: Watchdog.deadline)
        #expect(result == .success, "the gate has stayed closed", sourceLocation: sourceLocation)
        semaphore.signal()
    }
}

/// Runs a closure on the main queue.
func onMain<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { done in DispatchQueue.main.async { done.resume(returning: body()) } }
}

/// Runs a closure on a Dispatch thread, which it may block.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { done in DispatchQueue.global().async { done.resume(returning: body()) } }
}

/// Runs a closure in a callback of a future.
func inCallback(_ body: @escaping @Sendable () -> Void) {
    let future = Future<Void>()
    future.onSuccess(context: immediate, completion: body)
    future.success()
}

/// Runs closures on separate threads at about the same time.
func together(_ bodies: (@Sendable () -> Void)...) async {
    await onThread { DispatchQueue.concurrentPerform(iterations: bodies.count) { bodies[$0]() } }
}
