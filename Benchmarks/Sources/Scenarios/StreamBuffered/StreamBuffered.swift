/// Row 6: a loop over 100,000 elements that are already buffered, and the end.
///
/// Filling the buffer does not count.
enum StreamBuffered {
    static let length = 100_000

    static let future = Scenario("buffered.future", batch: length) { try await futureStreams($0, &$1) }
    static let asyncStream = Scenario("buffered.asyncstream", batch: length) { try await asyncStreams($0, &$1) }
}
