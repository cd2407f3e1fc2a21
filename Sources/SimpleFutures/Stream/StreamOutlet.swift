/// Orders the output of several threads: a state machine and its pending outputs, under one lock.
///
/// A thread that feeds it also emits the outputs, unless another thread is already emitting; then that thread emits
/// these too: those that wait when it begins, its own ones, and some more (promise 6).
@usableFromInline
final class StreamOutlet<State: ~Copyable, Output: Sendable>: _LockedObject, @unchecked Sendable {
    // Sendable: mutable state is accessed only under the lock.

    @usableFromInline @exclusivity(unchecked) var state: State
    @usableFromInline @exclusivity(unchecked) var outputs = RingBuffer<Output>()
    @usableFromInline @exclusivity(unchecked) var isEmitting = false
    /// The thread that emits; nil while another one is about to go on.
    @usableFromInline @exclusivity(unchecked) var emitter: UnsafeRawPointer?
    /// How many more outputs that thread emits.
    @usableFromInline @exclusivity(unchecked) var allowance = 0
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
        let thread = Trampoline.thread
        let (result, emits) = withLock {
            let count = outputs.count
            let result = decide(&state, &outputs)
            if isEmitting {
                if emitter == thread { allowance += outputs.count - count }
                return (result, false)
            }
            isEmitting = !outputs.isEmpty
            if isEmitting { begin(on: thread) }
            return (result, isEmitting)
        }
        if emits { emitOutputs() }
        return result
    }

    /// Called under the lock.
    @inlinable
    func begin(on thread: UnsafeRawPointer) {
        emitter = thread
        allowance = outputs.count + Trampoline.extraAllowance
    }

    @inlinable
    func emitOutputs() {
        while true {
            switch withLock({ next() }) {
            case .emit(let output): emit(output, target)
            case .rest: return
            case .goOnElsewhere: return goOnElsewhere()
            }
        }
    }

    @usableFromInline @frozen
    enum Next: Sendable {
        case emit(Output)
        case rest
        /// Others feed it faster than this thread emits.
        case goOnElsewhere
    }

    @inlinable
    func next() -> Next {
        if allowance > 0, let output = outputs.popFirst() {
            allowance -= 1
            return .emit(output)
        }
        emitter = nil
        isEmitting = !outputs.isEmpty
        return isEmitting ? .goOnElsewhere : .rest
    }

    @usableFromInline
    func goOnElsewhere() {
        _Route.elsewhere.execute {
            self.withLock { self.begin(on: Trampoline.thread) }
            Trampoline.callback { self.emitOutputs() }
        }
    }
}

extension StreamCore {
    /// Ends like another stream.
    @usableFromInline
    func end(like signal: StreamSignal) {
        if signal == .cancellation { cancelAsTarget() } else { finish() }
    }
}
