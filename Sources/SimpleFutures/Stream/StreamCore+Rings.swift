extension StreamCore {
    /// Whether what another stream emits comes to this one unchanged: whether it is this one, or one of its sources, or
    /// of theirs, by `completeWith` or `merge`.
    ///
    /// It looks at the nearest streams only, so that the cost does not grow with the number of sources (promise 10).
    /// Rings that people write have two or three streams.
    func takesOver(_ other: StreamCore) -> Bool {
        guard other !== self else { return true }
        guard other.subscriberCount > 0 else { return false }
        // They are kept meanwhile, so that no identity is used again.
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

    /// How many streams a ring may have that is looked for.
    private static let mostInRing = 16

    private func joinedStreams(atMost count: Int) -> [StreamCore] { withState { $0.joinedStreams(atMost: count) } }
}
