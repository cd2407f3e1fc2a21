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

/// Expects that callbacks on a context run although the callback that has caused them blocks.
func expectIsNotHeldUp(_ context: any ExecutionContext, sourceLocation: SourceLocation = #_sourceLocation) async {
    let (future, stream, hasRun) = (Future<Int>(), FutureStream<Int>(capacity: 0), Signal())
    for _ in 0..<2 {
        future.onSuccess(context: context) { _ in hasRun.open() }
        stream.onSuccess(context: context) { _ in hasRun.open() }
        stream.onFinish(context: context) { hasRun.open() }
    }
    let causes: [@Sendable () -> Void] = [
        { future.success(1) }, { stream.success(1) }, { stream.finish() },
        { for _ in 0..<2 { future.onSuccess(context: context) { _ in hasRun.open() } } },
    ]
    await onThread {
        for (number, cause) in causes.enumerated() {
            inCallback {
                cause()
                for _ in 0..<2 { #expect(hasRun.pass(), "\(context), \(number)", sourceLocation: sourceLocation) }
            }
        }
    }
}

/// Runs closures on separate threads at about the same time.
func together(_ bodies: (@Sendable () -> Void)...) async {
    await onThread { DispatchQueue.concurrentPerform(iterations: bodies.count) { bodies[$0]() } }
}
