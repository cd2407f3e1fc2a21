public import SimpleFutures

// Names of the release candidate.

extension CancelToken {
    /// Use `link(_:)`, whose name says that the token is not canceled now.
    @available(*, deprecated, renamed: "link(_:)")
    @discardableResult
    public func cancel<Success, Failure>(_ task: Task<Success, Failure>) -> Registration { link(task) }
}

extension Sequence where Element: Futurable {
    /// Use `valuesInOrder`, whose name says in which order they come.
    @available(*, deprecated, renamed: "valuesInOrder")
    public var values: FutureValues<Element.T> { valuesInOrder }
}
