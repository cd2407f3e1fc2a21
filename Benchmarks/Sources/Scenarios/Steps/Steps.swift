import SimpleFutures
import SimpleFuturesInterop

/// Row 19: an asynchronous step of a chain, and an asynchronous closure behind a completion handler.
enum Steps {
    static let asyncMap = Scenario("steps.asyncmap") { try await mapped($0) }
    static let task = Scenario("steps.task") { try await tasks($0) }
    static let answer = Scenario("steps.callback") { try await answers($0, with: answer) }
    static let handler = Scenario("steps.handler") { try await answers($0, with: answerByHand) }

    private typealias Completion = @Sendable (Int?, (any Error)?) -> Void

    @concurrent
    private static func mapped(_ count: Int) async throws {
        for value in 0..<count {
            let source = Future(value: value)
            blackHole(try await source.asyncMap { try await AsyncFuture.number($0) }.value)
        }
    }

    /// Awaits the same future in a task.
    @concurrent
    private static func tasks(_ count: Int) async throws {
        for value in 0..<count {
            let source = Future(value: value)
            blackHole(try await Task { try await AsyncFuture.number(source.value) }.value)
        }
    }

    @concurrent
    private static func answers(_ count: Int, with answer: (Int, @escaping Completion) -> Void) async throws {
        for value in 0..<count {
            let result: Int = try await withCheckedThrowingContinuation { continuation in
                answer(value) { value, error in
                    if let error {
                        continuation.resume(throwing: error)
                    } else {
                        continuation.resume(returning: value ?? 0)
                    }
                }
            }
            blackHole(result)
        }
    }

    private static func answer(_ value: Int, _ completion: @escaping Completion) {
        callback(completion, context: ImmediateContext()) { try await AsyncFuture.number(value) }
    }

    /// A task that calls the handler; a caller can't cancel it.
    private static func answerByHand(_ value: Int, _ completion: @escaping Completion) {
        Task {
            do { completion(try await AsyncFuture.number(value), nil) } catch { completion(nil, error) }
        }
    }
}
