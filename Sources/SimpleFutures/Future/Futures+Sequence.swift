extension Sequence where Element: Futurable {
    /// Returns a future of all values, in the order of the inputs.
    ///
    ///     let pages = urls.map { client.load($0) }.sequence()     // Future<[Page]>
    ///
    /// It fails with the first failure in time, of any input, and is canceled by the first canceled input. The other
    /// inputs continue, but no longer hold a reference to it. Without inputs the result is an empty array, at once.
    ///
    /// - Parameter context: Ignored. Kept for compatibility with SimpleFutures 0.2.
    @preconcurrency @inlinable
    public func sequence(context: any ExecutionContext = QueueContext.futuresDefault) -> Future<[Element.T]> {
        let result = Future<[Element.T]>()
        Gathering.gather(map { $0.asFuture() }, to: result) { all, result in
            let values = all.map { $0.settledValue(as: Element.T.self) }
            result.future(of: [Element.T].self).settle(.success(values))
        }
        return result
    }

    /// Returns a future of all results, in the order of the inputs, whether they are successes or failures.
    ///
    ///     let attempts = mirrors.map { client.load($0) }.settled()    // Future<[Try<Page>]>
    ///
    /// It never fails. A canceled input counts as a failure with `CancellationError`. Without inputs the result is an
    /// empty array, at once.
    @inlinable
    public func settled() -> Future<[Try<Element.T>]> {
        let result = Future<[Try<Element.T>]>()
        Gathering.gather(map { $0.asFuture() }, .anyEnd, to: result) { all, result in
            let results = all.map { input in
                input.settledResult(as: Element.T.self) ?? .failure(CancellationError())
            }
            result.future(of: [Try<Element.T>].self).settle(.success(results))
        }
        return result
    }
}
