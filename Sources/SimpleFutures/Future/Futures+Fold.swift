extension Sequence where Element: Futurable {
    /// Returns a future of all values, combined one after the other in the order of the inputs.
    ///
    ///     let total = carts.map { price($0) }.fold(initial: 0) { $0 + $1 }
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
        return Folding(inputs, context: context) { try combine($0 ?? initial, $1) }.result
    }

    /// Returns a future of all values, combined in the order of the inputs, beginning with the first two.
    ///
    ///     let latest = sources.map { lastChange(of: $0) }.reduce { max($0, $1) }
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
        return Folding(inputs, context: context) { combined, value in
            if let combined { try combine(combined, value) } else { value }
        }.result
    }
}

/// Combines values in the order of their futures, each as soon as it has arrived and all before it are combined.
///
/// It holds a future only between its success and its turn.
private final class Folding<T: Sendable, R: Sendable>: Sendable {
    private struct State {
        /// Futures that have succeeded and are not yet combined.
        var arrived: [AnyFuture?]
        var next = 0
        var combined: R?
        /// Whether a task is on its way to the context or runs there.
        var isCombining = false

        /// Returns true when a task must be sent to the context.
        mutating func arrive(_ input: AnyFuture, at index: Int) -> Bool {
            // After the end the array is empty.
            guard index < arrived.count else { return false }
            arrived[index] = input
            guard index == next, !isCombining else { return false }
            isCombining = true
            return true
        }

        /// Takes the next input to combine.
        ///
        /// Returns nil if it has not arrived; it will send its own task then.
        mutating func takeNext() -> (R?, AnyFuture)? {
            guard next < arrived.count, let input = arrived[next].take() else {
                isCombining = false
                return nil
            }
            next += 1
            return (combined.take(), input)
        }

        /// Stores the combined value.
        ///
        /// Returns true after the last input.
        mutating func put(_ value: R) -> Bool {
            combined = value
            return next == arrived.count
        }

        /// Removes and returns everything that the state holds.
        mutating func end() -> ([AnyFuture?], R?) {
            defer { arrived = [] }
            return (arrived, combined.take())
        }
    }

    let result = Future<R>()
    private let state: Lock<State>
    private let context: any ExecutionContext
    private let combine: @Sendable (R?, T) throws -> R
    /// The token of all registrations on the inputs.
    ///
    /// The thread that cancels it decides how the result ends.
    private let losers = CancelToken()

    init(
        _ inputs: [AnyFuture], context: any ExecutionContext, combine: @escaping @Sendable (R?, T) throws -> R
    ) {
        state = Lock(State(arrived: Array(repeating: nil, count: inputs.count)))
        self.context = context.forWaiting
        self.combine = combine
        // An input that has already ended without a value decides the result, whatever its position.
        if let lost = inputs.first(where: { $0.phase != .pending && $0.phase != .succeeded }) {
            lose(to: lost)
            return
        }
        // So that a waiter's priority reaches the tasks behind the inputs.
        if inputs.contains(where: \.mayHaveWork) {
            _ = Lifeline(of: result)
            for input in inputs { result.inheritWork(of: input) }
        }
        for (index, input) in inputs.enumerated() {
            input.observe(.plumbing, under: losers) { input, _ in self.arrive(input, at: index) }
        }
    }

    private func arrive(_ input: AnyFuture, at index: Int) {
        guard input.phase == .succeeded else { return lose(to: input) }
        if state.withLock({ $0.arrive(input, at: index) }) { hop() }
    }

    private func hop() {
        let step = Future(value: ()).map(context: context, cancelToken: losers) { try self.combineSome() }
        step.observe(.plumbing, under: losers) { step, _ in
            if step.phase != .succeeded { self.lose(to: step) }
        }
    }

    /// Combines the values that have arrived, and yields to other tasks on the context now and then.
    private func combineSome() throws {
        for _ in 0..<64 {
            guard !losers.isCancelled, let (combined, input) = state.withLock({ $0.takeNext() }) else { return }
            let value = try combine(combined, input.settledValue(as: T.self))
            if state.withLock({ $0.put(value) }) { return end { result.settle(.success(value)) } }
            // The closure's effects come first: they may include the failure of another input.
            if Trampoline.hasDeferred { break }
        }
        hop()
    }

    private func lose(to source: AnyFuture) { end { result.end(like: source) } }

    private func end(_ settleResult: () -> Void) {
        // Cancel the token first: once the result has ended, no other call of the closure may begin.
        guard losers.cancelOnce() else { return }
        _ = state.withLock { $0.end() }
        settleResult()
    }
}
