/// Row 16: a thread emits 100,000 elements alternately into two streams, while a loop gets the pairs of the latest.
///
/// Measured from the first element to the end of the loop.
enum CombineLatest {
    static let length = 100_000

    static let future = Scenario("latest.future", batch: length) { try await futureStreams($0, &$1) }
    static let asyncAlgorithms = Scenario("latest.asyncalgorithms", batch: length) {
        try await asyncSequences($0, &$1)
    }
}
