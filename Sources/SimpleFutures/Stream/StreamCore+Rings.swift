extension StreamCore {
    /// Whether what another stream emits comes to this one unchanged: whether it is this one, or one of its sources, or
    /// of theirs, by `completeWith` or `merge`.
    ///
    /// The cost is in the number of those sources. It is none for what nobody has subscribed to, so that a long row
    /// that is linked from either end takes no longer.
    func takesOver(_ other: StreamCore) -> Bool {
        guard other !== self else { return true }
        guard other.subscriberCount > 0 else { return false }
        // The streams themselves are kept meanwhile, so that no identity is used again.
        var seen: [ObjectIdentifier: StreamCore] = [:]
        var rest = joinedStreams
        while let stream = rest.popLast() {
            guard stream !== other else { return true }
            if seen.updateValue(stream, forKey: ObjectIdentifier(stream)) == nil { rest += stream.joinedStreams }
        }
        return false
    }

    private var joinedStreams: [StreamCore] { withState { $0.joinedStreams } }
}
