/// The names of the living, for reports.
enum Names {
    private struct Entry: Sendable {
        weak var one: (any Subject)?
        let name: String
    }

    private static let entries = Lock<[ObjectIdentifier: Entry]>([:])
    /// How many there may be until it is looked who is gone.
    private static let limit = Lock(64)

    static func set(_ name: String, of one: any Subject) {
        let count = entries.withLock { entries in
            entries[ObjectIdentifier(one)] = Entry(one: one, name: name)
            return entries.count
        }
        if count > limit.withLock({ $0 }) { strikeOff() }
    }

    static func name(of one: any Subject) -> String? {
        // Somebody else may have had the place of the one who asks.
        entries.withLock { entries in entries[ObjectIdentifier(one)].flatMap { $0.one === one ? $0.name : nil } }
    }

    /// Forgets who is gone.
    private static func strikeOff() {
        // Outside of the lock: whoever looks at one may be the last to have seen it.
        let living = entries.exchange([:]).filter { $0.value.one != nil }
        entries.withLock { $0.merge(living) { new, _ in new } }
        limit.exchange(max(64, 2 * living.count))
    }
}

extension Future {
    /// Names this future in ``FuturesDiagnostics/pending``.
    ///
    ///     let profile = future(method: client.loadProfile).named("profile of \(id)")
    ///
    /// - Parameter name: Its name. It is not even made as long as ``FuturesDiagnostics/isTracking`` is false.
    /// - Returns: This future.
    @discardableResult
    public func named(_ name: @autoclosure () -> String) -> Future<T> {
        if Census.isOn { Names.set(name(), of: self) }
        return self
    }
}

extension FutureStream {
    /// Names this stream in ``FuturesDiagnostics/pending``.
    ///
    /// - Parameter name: Its name. It is not even made as long as ``FuturesDiagnostics/isTracking`` is false.
    /// - Returns: This stream.
    @discardableResult
    public func named(_ name: @autoclosure () -> String) -> FutureStream<T> {
        if Census.isOn { Names.set(name(), of: core) }
        return self
    }
}
