extension Sequence where Element: Futurable {
    /// Returns a future of all values, combined one after the other in the order of the inputs.
    ///
    ///     let total = counts.fold(initial: 0) { $0 + $1 }
    ///
    /// The closure is called with a value as soon as all values before it are combined. The first failure in time, of
    /// any input, fails the result at once, and the first canceled input cancels it. After that the closure is not
    /// called any more, and the other inputs no longer hold a reference to the result. Without inputs the result is the
    /// initial value.
    ///
    /// - Parameters:
    ///   - context: Runs the closure, one call at a time.
    ///   - initial: The value to combine with the first input's value.
    ///   - combine: Called with the combined value so far and the next value. If it throws, the result fails.
    @preconcurrency
    public func fold<R: Sendable>(
        context: any ExecutionContext = QueueContext.futuresDefault, initial: R,
        combine: @escaping @Sendable (R, Element.T) throws -> R
    ) -> Future<R> {
        let inputs = map { $0.asFuture() }
        guard !inputs.isEmpty else { return Future(value: initial) }
        let result = Future<R>()
        let combined = Memory(initial)
        Folding.start(inputs, context: context, to: result, finish: { result.settle(.success(combined.value)) }) {
            combined.value = try combine(combined.value, $0.settledValue(as: Element.T.self))
        }
        return result
    }

    /// Returns a future of all values, combined in the order of the inputs, beginning with the first two.
    ///
    ///     let largest = counts.reduce { max($0, $1) }
    ///
    /// It ends like ``fold(context:initial:combine:)``. Without inputs it fails with ``FuturesError/noSuchElement``.
    ///
    /// - Parameters:
    ///   - context: Runs the closure, one call at a time.
    ///   - combine: Called with the combined value so far and the next value; not called for a single input. If it
    ///     throws, the result fails.
    public func reduce(
        context: any ExecutionContext = QueueContext.futuresDefault,
        combine: @escaping @Sendable (Element.T, Element.T) throws -> Element.T
    ) -> Future<Element.T> {
        let inputs = map { $0.asFuture() }
        guard let first = inputs.first else { return Future(error: FuturesError.noSuchElement) }
        guard inputs.count > 1 else { return Future(dependent: first) }
        let result = Future<Element.T>()
        let combined = Memory<Element.T?>(nil)
        Folding.start(inputs, context: context, to: result) {
            // There is at least one input.
            result.settle(.success(combined.value.unsafelyUnwrapped))
        } combine: {
            let value = $0.settledValue(as: Element.T.self)
            combined.value = try combined.value.map { try combine($0, value) } ?? value
        }
        return result
    }
}

/// Combines futures in their order, each as soon as it has succeeded and all before it are combined.
///
/// It holds a future only between its success and its turn.
private final class Folding: Inputs, @unchecked Sendable {
    // Sendable like its superclass: mutable state is behind a lock.

    /// References that are held until the end.
    private struct Open {
        let result: AnyFuture
        let context: any ExecutionContext
        /// Combines one more input.
        let combine: @Sendable (AnyFuture) throws -> Void
        /// Completes the result with the combined value.
        let finish: @Sendable () -> Void
        /// Inputs that have succeeded and are not yet combined.
        var arrived: [AnyFuture?]
        var next = 0
        /// Whether a task is on its way to the context or runs there.
        var isCombining = false

        /// Returns true when a task must be sent to the context.
        mutating func arrive(_ input: AnyFuture, at index: Int) -> Bool {
            // Tasks arrive too, at an index of their own.
            guard index < arrived.count else { return false }
            arrived[index] = input
            guard index == next, !isCombining else { return false }
            isCombining = true
            return true
        }

        /// Takes the next input to combine.
        ///
        /// Returns nil if it has not arrived; it will send its own task then.
        mutating func takeNext() -> (input: AnyFuture, combine: @Sendable (AnyFuture) throws -> Void, isLast: Bool)? {
            guard let input = arrived[next].take() else {
                isCombining = false
                return nil
            }
            next += 1
            return (input, combine, next == arrived.count)
        }
    }

    /// Nil after the end.
    private let state: Lock<Open?>
    private let count: Int
    /// Cancels a task that waits in the context at the end.
    private let losers = CancelToken()

    private init(_ open: Open) {
        state = Lock(open)
        count = open.arrived.count
        super.init()
    }

    /// Starts to combine inputs, of which there is at least one.
    ///
    /// - Parameters:
    ///   - finish: Completes the result, after the last input.
    ///   - combine: Called on the context with one input after the other. Calls do not overlap, and each sees what the
    ///     one before has written.
    static func start(
        _ inputs: [AnyFuture], context: any ExecutionContext, to result: AnyFuture,
        finish: @escaping @Sendable () -> Void, combine: @escaping @Sendable (AnyFuture) throws -> Void
    ) {
        // An input that has already ended without a value decides the result, whatever its position.
        if let lost = inputs.first(where: { $0.phase != .pending && $0.phase != .succeeded }) {
            return result.end(like: lost)
        }
        // So that a waiter's priority reaches the tasks behind all inputs.
        _ = Lifeline(of: result)
        let folding = Folding(
            Open(
                result: result, context: context.forWaiting, combine: combine, finish: finish,
                arrived: Array(repeating: nil, count: inputs.count)))
        for (index, input) in inputs.enumerated() where !folding.isOver {
            input.observe(.gathering, folding, at: index)
        }
    }

    override var target: AnyFuture? { state.withLock { $0?.result } }

    override var isOver: Bool { state.withLock { $0 == nil } }

    override func arrive(_ source: AnyFuture, at index: Int) {
        guard source.phase == .succeeded else { return end { $0.result.end(like: source) } }
        if state.withLock({ $0?.arrive(source, at: index) ?? false }) { hop() }
    }

    private func hop() {
        guard let context = state.withLock({ $0?.context }) else { return }
        Future(value: ()).map(context: context, cancelToken: losers) { try self.combineSome() }
            .observe(.gathering, self, at: count)
    }

    /// Combines the values that have arrived, and yields to other tasks on the context now and then.
    private func combineSome() throws {
        for _ in 0..<64 {
            guard let (input, combine, isLast) = state.withLock({ $0?.takeNext() }) else { return }
            try combine(input)
            if isLast { return end { $0.finish() } }
            // The closure's effects come first: they may include the failure of another input.
            if Trampoline.hasDeferred { break }
        }
        hop()
    }

    private func end(_ settleResult: (Open) -> Void) {
        // First of all: once the result has ended, no other call of the closure may begin.
        guard let open = state.exchange(nil) else { return }
        losers.cancel()
        settleResult(open)
        letInputsGo()
    }
}
