/// Row 9: a thread emits as fast as it can, and a callback gets each element on a serial queue.
///
/// Measured from the first element until the callback has received the last one.
enum StreamQueue {
    static let future = Scenario("queue.future", batch: 10_000) { await futureStreams($0) }
    static let dispatch = Scenario("queue.dispatch", batch: 10_000) { await blocks($0) }
}
