import SimpleFutures

typealias Answer = Result<String, AppError>

/// A client from the time before async/await, annotated for Swift 6: it calls back with each of its results.
nonisolated final class AnnotatedClient: Sendable {
    private let origin: Origin
    private let answers: [Answer]

    init(_ origin: Origin, _ answers: Answer...) { (self.origin, self.answers) = (origin, answers) }

    private func each(_ body: @escaping @Sendable (String?, AppError?) -> Void) {
        origin.call { [answers] in
            for answer in answers {
                switch answer {
                case .success(let text): body(text, nil)
                case .failure(let error): body(nil, error)
                }
            }
        }
    }

    /// Does not report failures.
    func text(completion: @escaping @Sendable (String) -> Void) { each { text, _ in text.map(completion) } }
    func plain(completion: @escaping @Sendable (String, (any Error)?) -> Void) { each { completion($0 ?? "", $1) } }
    func optional(completion: @escaping @Sendable (String?, (any Error)?) -> Void) { each { completion($0, $1) } }
    func save(completion: @escaping @Sendable ((any Error)?) -> Void) { each { completion($1) } }
    func wait(completion: @escaping @Sendable () -> Void) { each { _, _ in completion() } }
    func result(completion: @escaping @Sendable (Answer) -> Void) {
        each { text, error in completion(error.map { .failure($0) } ?? .success(text ?? "")) }
    }
    func response(completion: @escaping @Sendable (String?, Int?, (any Error)?) -> Void) {
        each { completion($0, $0?.count, $1) }
    }
    func find(
        _ id: Int, success: @escaping @Sendable (String) -> Void, failure: @escaping @Sendable (AppError) -> Void
    ) {
        each { text, error in if let error { failure(error) } else { success(text ?? "") } }
    }
    static func shared(completion: @escaping @Sendable (String?, (any Error)?) -> Void) {
        Task.detached { completion("one", nil) }
    }
}

/// This client is not annotated: its completion handlers are plain functions, which it still sends to other threads.
nonisolated final class UnannotatedClient {
    private let client: AnnotatedClient

    init(_ client: AnnotatedClient) { self.client = client }

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
    func result(completion: @escaping (Answer) -> Void) {
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

protocol Service {
    func optional(completion: @escaping @Sendable (String?, (any Error)?) -> Void)
}

/// This client belongs to the module, so it is on the main actor; its work runs on other threads.
final class MainActorClient: Service {
    private let client: AnnotatedClient
    private(set) var requests = 0
    private(set) lazy var first: Future<String> = future { self.optional(completion: $0) }

    init(_ client: AnnotatedClient) { self.client = client }

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
