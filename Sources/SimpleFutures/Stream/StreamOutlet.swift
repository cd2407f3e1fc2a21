/// The order of what several threads make: a state machine and what it has decided to emit, under one lock.
///
/// Whoever feeds it emits what there is to emit, unless another thread is at it, which then emits that too.
final class StreamOutlet<State: ~Copyable, Element: Sendable>: @unchecked Sendable {
    // Sendable, because everything that changes is reached under the lock.

    enum Output {
        case element(Try<Element>)
        case end(StreamSignal)
    }

    private let lock = BareLock()
    @exclusivity(unchecked) private var state: State
    @exclusivity(unchecked) private var outputs = RingBuffer<Output>()
    @exclusivity(unchecked) private var isEmitting = false
    private let target: StreamCore

    init(_ state: consuming State, to target: StreamCore) {
        self.state = state
        self.target = target
    }

    /// Decides what to emit, then sees to it that it is emitted.
    ///
    /// - Parameter decide: Runs under the lock. What it removes from the state it must return, to be released outside.
    @discardableResult
    func feed<Result>(_ decide: (inout State, inout RingBuffer<Output>) -> Result) -> Result {
        let (result, emits) = lock.withLock {
            let result = decide(&state, &outputs)
            let emits = !isEmitting && !outputs.isEmpty
            if emits { isEmitting = true }
            return (result, emits)
        }
        if emits { emit() }
        return result
    }

    private func emit() {
        while let output = lock.withLock({ nextOutput() }) {
            switch output {
            case .element(let result): target.pass(result)
            case .end(.cancellation): target.cancelAsTarget()
            case .end: target.finish()
            }
        }
    }

    private func nextOutput() -> Output? {
        let output = outputs.popFirst()
        isEmitting = output != nil
        return output
    }
}
