import Dispatch

/// Clients as they were before async/await, which call back from elsewhere.
///
/// This one has been annotated for Swift 6.
nonisolated final class AnnotatedClient: Sendable {
    private let origin: Origin
    private let answer: Answer

    init(_ origin: Origin, _ answer: Answer) { (self.origin, self.answer) = (origin, answer) }

    func text(completion: @escaping @Sendable (String) -> Void) { origin.call { completion("one") } }
    func plain(completion: @escaping @Sendable (String, (any Error)?) -> Void) {
        origin.call { [answer] in completion("one", answer.error) }
    }
    func optional(completion: @escaping @Sendable (String?, (any Error)?) -> Void) {
        origin.call { [answer] in completion(answer.text, answer.error) }
    }
    func save(completion: @escaping @Sendable ((any Error)?) -> Void) {
        origin.call { [answer] in completion(answer.error) }
    }
    func wait(completion: @escaping @Sendable () -> Void) { origin.call { completion() } }
    func result(completion: @escaping @Sendable (Result<String, AppError>) -> Void) {
        origin.call { [answer] in completion(answer.error.map { .failure($0) } ?? .success("one")) }
    }
    func response(completion: @escaping @Sendable (String?, Int?, (any Error)?) -> Void) {
        origin.call { [answer] in completion(answer.text, answer.text?.count, answer.error) }
    }
    func find(
        _ id: Int, success: @escaping @Sendable (String) -> Void, failure: @escaping @Sendable (AppError) -> Void
    ) {
        origin.call { [answer] in if let error = answer.error { failure(error) } else { success("one") } }
    }
    static func shared(completion: @escaping @Sendable (String?, (any Error)?) -> Void) {
        Task.detached { completion("one", nil) }
    }
}

/// This one has not: its blocks are plain functions, which it sends to other threads nonetheless.
nonisolated final class UnannotatedClient {
    private let client: AnnotatedClient

    init(_ origin: Origin, _ answer: Answer) { client = AnnotatedClient(origin, answer) }

    func text(completion: @escaping (String) -> Void) {
        nonisolated(unsafe) let completion = completion
        client.text { completion($0) }
    }
    func plain(completion: @escaping (String, (any Error)?) -> Void) {
        nonisolated(unsafe) let completion = completion
        client.plain { completion($0, $1) }
    }
    func optional(completion: @escaping (String?, (any Error)?) -> Void) {
        nonisolated(unsafe) let completion = completion
        client.optional { completion($0, $1) }
    }
    func save(completion: @escaping ((any Error)?) -> Void) {
        nonisolated(unsafe) let completion = completion
        client.save { completion($0) }
    }
    func wait(completion: @escaping () -> Void) {
        nonisolated(unsafe) let completion = completion
        client.wait { completion() }
    }
    func result(completion: @escaping (Result<String, AppError>) -> Void) {
        nonisolated(unsafe) let completion = completion
        client.result { completion($0) }
    }
    func response(completion: @escaping (String?, Int?, (any Error)?) -> Void) {
        nonisolated(unsafe) let completion = completion
        client.response { completion($0, $1, $2) }
    }
    func find(_ id: Int, success: @escaping (String) -> Void, failure: @escaping (any Error) -> Void) {
        nonisolated(unsafe) let (success, failure) = (success, failure)
        client.find(id, success: { success($0) }, failure: { failure($0) })
    }
}

/// This one is the module's own, and with it on the main actor; it works elsewhere.
final class MainActorClass {
    private let client: AnnotatedClient
    private(set) var requests = 0

    init(_ origin: Origin, _ answer: Answer) { client = AnnotatedClient(origin, answer) }

    func text(completion: @escaping @Sendable (String) -> Void) {
        requests += 1
        client.text(completion: completion)
    }
    func optional(completion: @escaping @Sendable (String?, (any Error)?) -> Void) {
        requests += 1
        client.optional(completion: completion)
    }
    /// Calls back on the main actor.
    func home(completion: @escaping @MainActor (String?, (any Error)?) -> Void) {
        requests += 1
        client.optional { text, error in Task { @MainActor in completion(text, error) } }
    }
    /// Calls back on the main actor, before it returns, with a plain function.
    func cached(completion: (String) -> Void) {
        requests += 1
        completion("one")
    }
}

/// What a client answers.
nonisolated enum Answer: CaseIterable, Sendable {
    case value, error

    var text: String? { self == .value ? "one" : nil }
    var error: AppError? { self == .error ? .offline : nil }
}
