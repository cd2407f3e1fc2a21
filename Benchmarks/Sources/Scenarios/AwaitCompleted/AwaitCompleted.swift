/// Row 3: await the value of a completed future repeatedly.
///
/// Outside of any actor and on the main actor, where a getter that leaves the actor costs two hops.
enum AwaitCompleted {
    static let future = Scenario("completed.future") { try await futures($0) }
    static let typed = Scenario("completed.typed") { try await typedFutures($0) }
    static let convertible = Scenario("completed.convertible") { try await convertibleFutures($0) }
    static let task = Scenario("completed.task") { try await tasks($0) }
    static let nio = Scenario("completed.nio") { try await nioFutures($0) }

    static let futureOnMain = Scenario("completed.main.future") { try await futuresOnMain($0) }
    static let taskOnMain = Scenario("completed.main.task") { try await tasksOnMain($0) }
    static let nioOnMain = Scenario("completed.main.nio") { try await nioFuturesOnMain($0) }
}
