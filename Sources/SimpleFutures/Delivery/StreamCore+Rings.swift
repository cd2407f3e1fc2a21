extension StreamCore {
    /// Whether elements of another stream reach this stream unchanged: whether it is this stream, or one of its direct
    /// or indirect sources by `completeWith` or `merge`.
    ///
    /// Only the nearest streams are searched, so that the cost does not grow with the number of sources (promise 10).
    /// Cycles in practice have two or three streams.
    @usableFromInline
    func takesOver(_ other: StreamCore) -> Bool {
        guard other !== self else { return true }
        guard other.subscriberCount > 0 else { return false }
        // The array holds the streams, so that no identity is reused during the search.
        var found = [self]
        var next = 0
        while next < found.count, found.count < Self.mostInRing {
            for stream in found[next].joinedStreams(atMost: Self.mostInRing)
            where !found.contains(where: { $0 === stream }) {
                guard stream !== other else { return true }
                found.append(stream)
            }
            next += 1
        }
        return false
    }

    /// The number of streams to search.
    private static let mostInRing = 16

    private func joinedStreams(atMost count: Int) -> [StreamCore] { withState { $0.joinedStreams(atMost: count) } }
}
