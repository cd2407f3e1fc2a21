import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

typealias Answer = Outcome<Int>

extension Outcome {
    init(_ body: () async throws -> Value) async {
        do {
            self = .success(try await body())
        } catch is CancellationError {
            self = .cancelled
        } catch {
            self = .failure(error)
        }
    }
}

enum Way: String, CaseIterable, Sendable {
    case value, outcome, valueAbandoning, outcomeAbandoning, completions, values, typed, typedAbandoning
    /// These wait for the result when their task is canceled.
    case valueWaiting, outcomeWaiting, typedWaiting

    static let allWithToken: [Way] = [
        .valueAbandoning, .outcomeAbandoning, .typedAbandoning, .valueWaiting, .outcomeWaiting, .typedWaiting,
    ]

    var waits: Bool { [.valueWaiting, .outcomeWaiting, .typedWaiting].contains(self) }

    func answer(_ future: Future<Int>, cancelling token: CancelToken = CancelToken()) async -> Answer {
        await Answer {
            switch self {
            case .value: return try await future.value
            case .outcome: return try await future.outcome.get()
            case .valueAbandoning: return try await future.value(cancelling: token, onCancel: .abandon)
            case .outcomeAbandoning: return try await future.outcome(cancelling: token, onCancel: .abandon).get()
            case .valueWaiting: return try await future.value(cancelling: token)
            case .outcomeWaiting: return try await future.outcome(cancelling: token).get()
            case .typed: return try await future.typed(as: Oops.self).result.untyped
            case .typedAbandoning:
                return try await untyped { () async throws(Stopped<Oops>) in
                    try await future.typed(as: Oops.self).value(cancelling: token, onCancel: .abandon)
                }
            case .typedWaiting:
                return try await untyped { () async throws(Stopped<Oops>) in
                    try await future.typed(as: Oops.self).value(cancelling: token)
                }
            case .completions:
                var iterator = [future].completions.makeAsyncIterator()
                return try await iterator.next()!.result.get()
            case .values:
                var iterator = [future].valuesInOrder.makeAsyncIterator()
                return try await iterator.next()!
            }
        }
    }
}

/// Runs a body with typed errors, and rethrows the original errors.
private func untyped(_ body: () async throws(Stopped<Oops>) -> Int) async throws -> Int {
    do { return try await body() } catch { throw error.underlying }
}

extension Result<Int, Stopped<Oops>> {
    /// Returns the value, or throws the original error.
    fileprivate var untyped: Int { get throws { try mapError(\.underlying).get() } }
}

extension Source.Ending {
    var answer: Answer { passedOn(success: .success(1)) }
}

/// A gate that a callback opens once and tasks pass.
struct AsyncGate: Sendable {
    private let promise = Promise<Void>()

    func open() { promise.trySuccess() }

    func pass() async { _ = await promise.future.outcome }
}

enum Locals {
    @TaskLocal static var id = 0
    @TaskLocal static var name = "unknown"
}

final class Tally: Sendable {
    private let value = Lock(0)

    func add(_ number: Int = 1) { value.withLock { $0 += number } }

    var count: Int { value.withLock { $0 } }
}

/// An object that closures capture, to check whether they are released.
final class Captive: Sendable {
    private let alive: Tally

    init(_ alive: Tally) {
        self.alive = alive
        alive.add()
    }

    deinit { alive.add(-1) }

    /// Does nothing, but a closure that calls it captures the object.
    func touch() {}
}

@discardableResult
func inCancelledTask<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) async -> Result {
    await Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return await body()
    }.value
}

/// Expects that a closure on the main actor lets no other task run there.
@MainActor func expectNoSuspension(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: @escaping @MainActor () async throws -> Void
) async throws {
    // In a separate task, because a task with an executor preference leaves the main actor at each call.
    try await Task {
        var isIntruded = false
        let intruder = Task { @MainActor in isIntruded = true }
        try await body()
        #expect(!isIntruded, sourceLocation: sourceLocation)
        await intruder.value
        #expect(isIntruded, sourceLocation: sourceLocation)
    }.value
}

func holding(_ lock: DispatchSemaphore, _ body: () -> Void) {
    lock.wait()
    body()
    lock.signal()
}

/// The combinators of futures whose closure awaits.
enum Step: String, CaseIterable, Sendable {
    case map, flatMap, recover, forEach

    func make(
        from source: Future<Int>, under token: CancelToken, _ body: @escaping @isolated(any) @Sendable () async -> Void
    ) -> Future<Void> {
        switch self {
        case .map: source.asyncMap(cancelToken: token) { _ in await body() }
        case .flatMap:
            source.asyncFlatMap(cancelToken: token) { _ in
                await body()
                return Future(value: ())
            }
        case .recover:
            source.asyncRecover(cancelToken: token) { _ in
                await body()
                return 1
            }.asVoid()
        case .forEach: source.asyncForEach(cancelToken: token) { _ in await body() }
        }
    }

    func complete(_ source: Promise<Int>) {
        if self == .recover { source.failure(Failure()) } else { source.success(1) }
    }
}

/// The combinators of streams whose closure awaits.
enum StreamStep: String, CaseIterable, Sendable {
    case map, flatMap, recover, forEach

    /// The future ends when the derived object is canceled, or when it would continue otherwise.
    @discardableResult
    func make(
        from source: FutureStream<Int>, under token: CancelToken, counting elements: Tally,
        _ body: @escaping @Sendable () async -> Void
    ) -> Future<Void> {
        let cancelled = Future<Void>()
        func observe<T: Sendable>(_ stream: FutureStream<T>) {
            stream.onCancel(context: immediate) { cancelled.success() }
            stream.onComplete(context: immediate) { _ in elements.add() }
            stream.onFinish(context: immediate) { elements.add() }
        }
        switch self {
        case .map: observe(source.asyncMap(cancelToken: token) { _ in await body() })
        case .flatMap:
            observe(
                source.asyncFlatMap(cancelToken: token) { _ in
                    await body()
                    return Future(value: 1)
                })
        case .recover:
            observe(
                source.asyncRecover(cancelToken: token) { _ in
                    await body()
                    return 1
                })
        case .forEach:
            let end = source.asyncForEach(cancelToken: token) { _ in await body() }
            end.onCancel(context: immediate) { cancelled.success() }
            end.onComplete(context: immediate) { _ in elements.add() }
        }
        return cancelled
    }

    func emit(_ number: Int, into source: StreamPromise<Int>) {
        if self == .recover { source.failure(Failure()) } else { source.success(number) }
    }
}
