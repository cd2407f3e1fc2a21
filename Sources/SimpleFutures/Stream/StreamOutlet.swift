/// Orders the output of several threads: a state machine and its pending outputs, under one lock.
///
/// A thread that feeds it also emits the outputs, unless another thread is already emitting; then that thread emits
/// these too.
@usableFromInline
final class StreamOutlet<State: ~Copyable, Output: Sendable>: _LockedObject, @unchecked Sendable {
    // Sendable: mutable state is accessed only under the lock.

    @usableFromInline @exclusivity(unchecked) var state: State
    @usableFromInline @exclusivity(unchecked) var outputs = RingBuffer<Output>()
    @usableFromInline @exclusivity(unchecked) var isEmitting = false
    @usableFromInline let target: StreamCore
    @usableFromInline let emit: @Sendable (Output, StreamCore) -> Void

    /// - Parameters:
    ///   - state: The initial state.
    ///   - target: The stream.
    ///   - emit: Emits one output into the stream, outside the lock.
    @usableFromInline
    init(_ state: consuming State, to target: StreamCore, emit: @escaping @Sendable (Output, StreamCore) -> Void) {
        self.state = state
        self.target = target
        self.emit = emit
        super.init()
    }

    /// Runs a transition and emits its outputs.
    ///
    /// - Parameter decide: Runs under the lock. It must return or output everything it removes from the state, so that
    ///   it is released outside the lock.
    @inlinable @discardableResult
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

    @inlinable
    func nextOutput() -> Output? {
        let output = outputs.popFirst()
        isEmitting = output != nil
        return output
    }
}

extension StreamCore {
    /// Ends like another stream.
    @usableFromInline
    func end(like signal: StreamSignal) {
        if signal == .cancellation { cancelAsTarget() } else { finish() }
    }
}
