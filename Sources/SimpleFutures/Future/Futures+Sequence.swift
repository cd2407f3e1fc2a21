extension Sequence {
    /// A future of all values, in the order of the inputs.
    ///
    ///     let pages = urls.map(load).sequence()                   // Future<[Page]>
    ///
    /// It fails with the first failure in time, wherever that stands, and is cancelled by the first cancelled input; the
    /// other inputs go on, but no longer hold anything of it. No inputs give an empty array at once.
    ///
    /// - Parameter context: Accepted for SimpleFutures' sake and unused: no closure of yours runs.
    @preconcurrency
    public func sequence<T: Sendable>(
        context: any ExecutionContext = QueueContext.futuresDefault
    ) -> Future<[T]> where Element == Future<T> {
        let result = Future<[T]>()
        let inputs = Array(self)
        let gathering = Gathering(count: inputs.count, to: result) { all in
            result.settle(.success(all.map { $0.value(as: T.self) }))
        }
        for (index, input) in inputs.enumerated() { gathering.gather(input, at: index) }
        return result
    }
}
