extension Optional {
    /// Returns the value if a closure returns true for it; otherwise nil.
    @inlinable
    public func filter(_ isIncluded: (Wrapped) throws -> Bool) rethrows -> Wrapped? {
        try flatMap { try isIncluded($0) ? $0 : nil }
    }

    /// Calls a closure with the value, if there is one.
    @inlinable
    public func forEach(_ apply: (Wrapped) throws -> Void) rethrows {
        if let self { try apply(self) }
    }
}
