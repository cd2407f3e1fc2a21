/// Row 7: a thread emits 100,000 elements as fast as it can, while a loop consumes them.
///
/// Measured from the first element to the end of the loop. `AsyncChannel` makes its producer wait for the consumer of
/// each element, which the others do not promise.
enum StreamLive {
    static let length = 100_000

    static let future = Scenario("live.future", batch: length) { try await futureStreams($0, &$1) }
    static let asyncStream = Scenario("live.asyncstream", batch: length) { try await asyncStreams($0, &$1) }
    static let asyncChannel = Scenario("live.asyncchannel", batch: length) { try await asyncChannels($0, &$1) }
}
