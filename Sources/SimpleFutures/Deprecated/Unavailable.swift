// What is looked for here and is elsewhere, so that the compiler says where. Whatever else is there is preferred.

extension Future {
    /// In SimpleFuturesInterop.
    @available(*, unavailable, message: "`value` awaits the result; add `import SimpleFuturesInterop`")
    public var value: T { fatalError() }
}

extension FutureStream {
    /// In SimpleFuturesInterop.
    @available(*, unavailable, message: "`values` is for loops that await; add `import SimpleFuturesInterop`")
    public var values: AsyncThrowingStream<T, any Error> { fatalError() }

    /// Of a future; a stream has many.
    @available(*, unavailable, message: "a stream has many values; use `for try await value in stream.values`")
    public var value: T { fatalError() }
}
