import SimpleFutures
import SimpleFuturesInterop

/// Row 17: ten calls for each key; the first one does the work and the others get its value.
enum SharedRequests {
    static let callsForKey = 10

    static let future = Scenario("requests.future", batch: callsForKey) { try await work($0) }
    static let actor = Scenario("requests.actor", batch: callsForKey) { try await tasks($0) }

    @concurrent
    private static func work(_ count: Int) async throws {
        let requests = SharedWork<Int, Int>(keepingResultsFor: nil) { key, _ in
            Future { () async throws -> Int in key }
        }
        for call in 0..<count { blackHole(try await requests.future(for: call / callsForKey).value) }
    }

    @concurrent
    private static func tasks(_ count: Int) async throws {
        let requests = Requests()
        for call in 0..<count { blackHole(try await requests.value(for: call / callsForKey)) }
    }
}

/// A handwritten version, without cancellation.
private actor Requests {
    private var tasks: [Int: Task<Int, any Error>] = [:]

    func value(for key: Int) async throws -> Int {
        if let task = tasks[key] { return try await task.value }
        let task = Task<Int, any Error> { key }
        tasks[key] = task
        return try await task.value
    }
}
