/// Row 3: a thousand pending futures become one of all values, are completed one after the other, and all is released.
///
/// For each element, with the making and completing of the inputs in it.
enum Sequencing {
    static let length = 1_000

    static let future = Scenario("sequence.future", batch: length) { futures($0) }
    static let nio = Scenario("sequence.nio", batch: length) { nioPromises($0) }

    static let futureCompleted = Scenario("sequence.completed.future", batch: length) { completedFutures($0) }
    static let nioCompleted = Scenario("sequence.completed.nio", batch: length) { nioCompletedFutures($0) }
}
