extension Sequence {
    /// Calls a closure that returns a future for each element, and returns a future of all their values.
    ///
    ///     let pages = urls.traverse { client.load($0) }           // Future<[Page]>
    ///
    /// All futures run at the same time. Values are in the order of the elements; failures and cancellations are
    /// handled as in ``Swift/Sequence/sequence(context:)``.
    ///
    /// - Parameters:
    ///   - context: Ignored. Kept for compatibility with SimpleFutures 0.2: the closure runs on the calling thread.
    ///   - mapping: Called with each element in order before this call returns. If it throws, the result fails, and it
    ///     is not called again.
    @preconcurrency @inlinable
    public func traverse<Inner: Futurable>(
        context: any ExecutionContext = QueueContext.futuresDefault, mapping: (Element) throws -> Inner
    ) -> Future<[Inner.T]> {
        do {
            return try map { try mapping($0).asFuture(cancelToken: .none) }.sequence(context: ImmediateContext())
        } catch {
            return Future(error: error)
        }
    }

    /// Calls a closure that returns a future for each element, with a limited number of futures pending at a time.
    ///
    ///     let pages = urls
    ///         .traverse(maxConcurrent: 4, context: .global) { client.load($0) }
    ///
    /// As soon as one future has succeeded, the closure is called with the next element, even if the result is released.
    /// The first failure or cancellation ends the result at once, and the closure is not called any more.
    ///
    /// - Parameters:
    ///   - maxConcurrent: The largest number of futures pending at a time. It must be positive.
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, cancels the result, and the closure is not called any more. The closure can pass
    ///     it to its futures too, which go on otherwise.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    ///   - mapping: Called with the elements in order. If it throws, the result fails.
    public func traverse<M: Sendable>(
        maxConcurrent: Int, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line,
        mapping: @escaping @Sendable (Element) throws -> Future<M>
    ) -> Future<[M]> where Element: Sendable {
        require(
            maxConcurrent > 0,
            """
            `traverse(maxConcurrent:)` was given \(maxConcurrent); it must be at least 1. Pass 1 to run one future after \
            another, or leave it out to run all at the same time.
            """, fileID, line)
        guard !cancelToken.isCancelled else {
            let result = Future<[M]>()
            result.cancelAsTarget()
            return result
        }
        let elements = Array(self)
        guard !elements.isEmpty else { return Future(value: []) }
        let result = Future<[M]>()
        let traversal = BoundedTraversal(elements, context: context, under: cancelToken, mapping, to: result)
        traversal.start(Swift.min(maxConcurrent, traversal.count))
        return result
    }
}

/// Keeps a bounded number of futures in flight.
private final class BoundedTraversal<Element: Sendable, M: Sendable>: Sendable {
    private let elements: [Element]
    private let context: any ExecutionContext
    private let mapping: @Sendable (Element) throws -> Future<M>
    private let gathering: Gathering
    private let state = Lock(State())

    private struct State {
        var nextIndex = 0
        /// How many futures are to be started.
        ///
        /// They are started one at a time, each when the closure has begun with the one before. So the closure is
        /// called in order, whichever thread starts them.
        var due = 0
    }

    var count: Int { elements.count }

    init(
        _ elements: [Element], context: any ExecutionContext, under token: CancelToken,
        _ mapping: @escaping @Sendable (Element) throws -> Future<M>, to result: Future<[M]>
    ) {
        self.elements = elements
        self.context = context.forWaiting
        self.mapping = mapping
        gathering = Gathering(count: elements.count, to: result, losers: token.child()) { all, _ in
            result.settle(.success(all.map { $0.settledValue(as: M.self) }))
        }
    }

    /// Starts up to `number` more futures.
    func start(_ number: Int) {
        let isStarting = state.withLock { state in
            defer { state.due += number }
            return state.due > 0
        }
        if !isStarting, number > 0 { startNext() }
    }

    private func startNext() {
        let index = state.withLock { state in
            defer { state.nextIndex += 1 }
            return state.nextIndex
        }
        guard index < elements.count else { return }
        // If the token is canceled, this one is, and so is the result if it was still pending.
        let step = Future(value: elements[index]).flatMap(context: context, cancelToken: gathering.losers) { element in
            self.goOn()
            return try self.mapping(element)
        }
        step.observe(.gathering, gathering, at: index)
        gathering.target?.setUpstream(step)
        step.observe(.plumbing) { step, _ in
            guard step.phase == .succeeded else { return }
            self.gathering.target?.removeUpstream(step)
            self.start(1)
        }
    }

    private func goOn() {
        let isMoreDue = state.withLock { state in
            state.due -= 1
            return state.due > 0
        }
        // Even on an immediate context, the next call waits until this callback returns.
        if isMoreDue { startNext() }
    }
}
