public import SimpleFutures

extension Sequence where Element: Sendable {
    /// Calls an asynchronous closure for each element, and returns a future of all results.
    ///
    ///     let images = urls.traverse(maxConcurrent: 4) { try await network.image(at: $0) }    // Future<[Image]>
    ///
    /// One task makes the calls, in a task group. Values are in the order of the elements. The first failure cancels the
    /// calls that still run, and no further call begins; when they have returned, the future fails with that error. As
    /// with `Future(operation:)`, the closure is isolated to the caller's actor if it uses that, and the calls inherit
    /// the caller's priority and task-local values. Releasing the future does not stop the calls; the token does.
    ///
    /// - Parameters:
    ///   - maxConcurrent: The largest number of calls at a time. It must be positive. Without it, all calls run at the
    ///     same time.
    ///   - cancelToken: Cancels the calls. The future fails with the error of the first call that throws, or with
    ///     `CancellationError`.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    ///   - operation: Called once for each element, until a call fails. Calls that overlap begin in any order; pass a
    ///     `maxConcurrent` of 1 to call it in the order of the elements.
    @_disfavoredOverload
    public func traverse<M: Sendable>(
        maxConcurrent: Int = .max, cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line,
        @_inheritActorContext @_implicitSelfCapture
        operation: @escaping @isolated(any) @Sendable (Element) async throws -> M
    ) -> Future<[M]> {
        require(
            maxConcurrent > 0,
            """
            `traverse(maxConcurrent:)` was given \(maxConcurrent); it must be at least 1. Pass 1 to make one call after \
            another, or leave it out to make all at the same time.
            """, fileID, line)
        let elements = Array(self)
        return Future(cancelToken: cancelToken) {
            try await withThrowingTaskGroup(of: (Int, M).self) { calls in
                var values = [M?](repeating: nil, count: elements.count)
                for (index, element) in elements.enumerated() {
                    if index >= maxConcurrent, let (ended, value) = try await calls.next() { values[ended] = value }
                    calls.addTask {
                        try Task.checkCancellation()
                        return (index, try await operation(element))
                    }
                }
                for try await (ended, value) in calls { values[ended] = value }
                return values.compactMap { $0 }
            }
        }
    }
}
