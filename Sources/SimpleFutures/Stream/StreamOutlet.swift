/// The order of what several threads make: a state machine and what it has decided to emit, under one lock.
///
/// Whoever feeds it emits what there is to emit, unless another thread is at it, which then emits that too.
final class StreamOutlet<State: ~Copyable, Output: Sendable>: _LockedObject, @unchecked Sendable {
    // Sendable, because everything that changes is reached under the lock.

    @exclusivity(unchecked) private var state: State
    @exclusivity(unchecked) private var outputs = RingBuffer<Output>()
    @exclusivity(unchecked) private var isEmitting = false
    private let target: StreamCore
    private let emit: @Sendable (Output, StreamCore) -> Void

    /// - Parameters:
    ///   - state: The state to begin with.
    ///   - target: The stream.
    ///   - emit: Emits one output into the stream, outside of the lock.
    init(_ state: consuming State, to target: StreamCore, emit: @escaping @Sendable (Output, StreamCore) -> Void) {
        self.state = state
        self.target = target
        self.emit = emit
        super.init()
    }

    /// Decides what to emit, then sees to it that it is emitted.
    ///
    /// - Parameter decide: Runs under the lock. What it removes from the state it must return or put out, to be
    ///   released outside.
    @discardableResult
    func feed<Result>(_ decide: (inout State, inout RingBuffer<Output>) -> Result) -> Result {
        let (result, emits) = withLock {
            let result = decide(&state, &outputs)
            let emits = !isEmitting && !outputs.isEmpty
            if emits { isEmitting = true }
            return (result, emits)
        }
        if emits {
            while let output = withLock({ nextOutput() }) { emit(output, target) }
        }
        return result
    }

    private func nextOutput() -> Output? {
        let output = outputs.popFirst()
        isEmitting = output != nil
        return output
    }
}

extension StreamCore {
    /// Ends as another stream has.
    func end(like signal: StreamSignal) {
        if signal == .cancellation { cancelAsTarget() } else { finish() }
    }
}
