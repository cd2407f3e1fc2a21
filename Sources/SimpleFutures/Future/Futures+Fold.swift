extension Sequence where Element: Futurable {
    /// Returns a future of all values, combined one after the other in the order of the inputs.
    ///
    ///     let total = carts.map { price($0) }.fold(initial: 0) { $0 + $1 }
    ///
    /// The closure is called with a value as soon as all before it have been combined. The first failure in time,
    /// wherever it stands, fails the result at once, and the first canceled input cancels it; the closure is then
    /// called no more, and the other inputs no longer hold anything of the result. No inputs give the initial value.
    ///
    /// - Parameters:
    ///   - context: Where the closure runs, never twice at a time.
    ///   - initial: What the first value is combined with.
    ///   - combine: Called with what has been combined so far and the next value. If it throws, the result fails.
    @preconcurrency
    public func fold<R: Sendable>(
        context: any ExecutionContext = QueueContext.futuresDefault, initial: R,
        combine: @escaping @Sendable (R, Element.T) throws -> R
    ) -> Future<R> {
        let inputs = map { $0.asFuture() }
        guard !inputs.isEmpty else { return Future(value: initial) }
        return Folding(inputs, context: context) { try combine($0 ?? initial, $1) }.result
    }

    /// Returns a future of all values, combined one after the other in the order of the inputs, beginning with the first two.
    ///
    ///     let latest = sources.map { lastChange(of: $0) }.reduce { max($0, $1) }
    ///
    /// It ends as ``fold(context:initial:combine:)`` does. No inputs fail it with ``FuturesError/noSuchElement``.
    ///
    /// - Parameters:
    ///   - context: Where the closure runs, never twice at a time.
    ///   - combine: Called with what has been combined so far and the next value; not at all for a single input. What
    ///     it throws fails the result.
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

/// Combines values in the order of their futures, each as soon as it has come and all before it have been combined.
///
/// It holds a future from the moment when that has succeeded until it is combined.
private final class Folding<T: Sendable, R: Sendable>: Sendable {
    private struct State {
        /// Those that have succeeded and are not yet combined.
        var arrived: [AnyFuture?]
        var next = 0
        var combined: R?
        /// Whether a task is on its way to the context, or runs there.
        var isCombining = false

        /// True when a task must be sent to the context.
        mutating func arrive(_ input: AnyFuture, at index: Int) -> Bool {
            // Those that come after the end find no place.
            guard index < arrived.count else { return false }
            arrived[index] = input
            guard index == next, !isCombining else { return false }
            isCombining = true
            return true
        }

        /// The next to combine; nil when it has not come, and will send a task of its own.
        mutating func takeNext() -> (R?, AnyFuture)? {
            guard next < arrived.count, let input = arrived[next].take() else {
                isCombining = false
                return nil
            }
            next += 1
            return (combined.take(), input)
        }

        /// True when that was the last.
        mutating func put(_ value: R) -> Bool {
            combined = value
            return next == arrived.count
        }

        /// Takes out everything that it holds.
        mutating func end() -> ([AnyFuture?], R?) {
            defer { arrived = [] }
            return (arrived, combined.take())
        }
    }

    let result = Future<R>()
    private let state: Lock<State>
    private let context: any ExecutionContext
    private let combine: @Sendable (R?, T) throws -> R
    /// The inputs are observed under this token, and whoever cancels it has decided how it ends.
    private let losers = CancelToken()

    init(
        _ inputs: [AnyFuture], context: any ExecutionContext, combine: @escaping @Sendable (R?, T) throws -> R
    ) {
        state = Lock(State(arrived: Array(repeating: nil, count: inputs.count)))
        self.context = context.forWaiting
        self.combine = combine
        // What has ended without a value did so before anything could be combined, wherever it stands.
        if let lost = inputs.first(where: { $0.phase != .pending && $0.phase != .succeeded }) {
            lose(to: lost)
            return
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

    /// Combines what has come, and yields to others on the same context now and then.
    private func combineSome() throws {
        for _ in 0..<64 {
            guard !losers.isCancelled, let (combined, input) = state.withLock({ $0.takeNext() }) else { return }
            let value = try combine(combined, input.settledValue(as: T.self))
            if state.withLock({ $0.put(value) }) { return end { result.settle(.success(value)) } }
            // What the closure has caused comes first: it may be the failure of another input.
            if Trampoline.hasDeferred { break }
        }
        hop()
    }

    private func lose(to source: AnyFuture) { end { result.end(like: source) } }

    private func end(_ settleResult: () -> Void) {
        // The losers first: nobody who sees the end of the result may see another closure begin.
        guard losers.cancelOnce() else { return }
        _ = state.withLock { $0.end() }
        settleResult()
    }
}
