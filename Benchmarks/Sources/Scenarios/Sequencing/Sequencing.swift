/// Row 3: a thousand pending futures are combined into one of all values, completed one after the other, and released.
///
/// Per element, including the making and completing of the inputs.
enum Sequencing {
    static let length = 1_000

    static let future = Scenario("sequence.future", batch: length) { futures($0) }
    static let nio = Scenario("sequence.nio", batch: length) { nioPromises($0) }

    static let futureCompleted = Scenario("sequence.completed.future", batch: length) { completedFutures($0) }
    static let nioCompleted = Scenario("sequence.completed.nio", batch: length) { nioCompletedFutures($0) }
}
