public import SimpleFutures

// Names from the release candidate.

extension CancelToken {
    /// Use `link(_:)`, whose name does not suggest that the token is canceled now.
    @available(*, deprecated, renamed: "link(_:)")
    @discardableResult
    public func cancel<Success, Failure>(_ task: Task<Success, Failure>) -> Registration { link(task) }
}

extension Sequence where Element: Futurable {
    /// Use `valuesInOrder`, whose name states the order.
    @available(*, deprecated, renamed: "valuesInOrder")
    public var values: FutureValues<Element.T> { valuesInOrder }
}
