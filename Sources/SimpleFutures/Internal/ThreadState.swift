internal import CSimpleFutures

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// What a thread of the library remembers.
///
/// Reached by that thread alone, through a pointer.
struct ThreadState: ~Copyable {
    enum Job: ~Copyable {
        case deliver(AnyFuture, first: Callback?)
        /// To contexts of the user's.
        case handOver(AnyFuture)
        case deliverLane(StreamLane, StreamCore, StreamState.Delivery)
        case run(@Sendable () -> Void)
        case release(Observer)
    }

    /// What was held by a future or a stream, and is to be destroyed.
    enum Remains: ~Copyable {
        case elements(StreamRemains)
        /// A value in memory of its own.
        case value(UnsafeMutableRawPointer, destroy: (UnsafeMutableRawPointer) -> Void)
    }

    /// A delivery under way on this stack.
    struct Frame {
        enum Source {
            case future(Unmanaged<AnyFuture>)
            /// A future hands an observer over to a context of the user's, which may run it at once.
            case departure(Unmanaged<AnyFuture>)
            case lane(Unmanaged<StreamLane>, Unmanaged<StreamCore>, StreamState.Delivery)
        }

        let source: Source
        /// Of a lane, the number of the delivery; of a departure, that of the turn.
        var turn: UInt64 = 0
        /// The lane, once others may deliver it before that returns, and take its last subscriber out.
        var kept: StreamLane?
        /// Of a future: whether a callback has waited, and others may have gone on with the delivery since.
        var isGivenUp = false
        let outer: UnsafeMutablePointer<Frame>?
    }

    /// Set while a context is given a task.
    var isHandingOver = false

    var isActive = false
    var jobs = RingBuffer<Job>()
    /// How many values of futures and elements of streams are being destroyed inside of each other.
    var destructionDepth = 0
    /// What is destroyed when the outermost of them has been.
    var remains = RingBuffer<Remains>()
    /// Whether the handler of diagnostics runs.
    var isReporting = false
    /// How many tasks of a `MaxStackDepthContext` run inside each other.
    var depth = 0
    /// What the thread has made while that was counted.
    var census: CensusList?
    /// The innermost of the deliveries on this stack.
    var draining: UnsafeMutablePointer<Frame>?

    static var current: UnsafeMutablePointer<ThreadState> {
        @inline(__always) get {
            if let pointer = sf_get_thread_state() { return pointer.assumingMemoryBound(to: ThreadState.self) }
            return makeCurrent()
        }
    }

    @inline(never)
    private static func makeCurrent() -> UnsafeMutablePointer<ThreadState> {
        // As a thread ends, the system may release the word before the key.
        if let pointer = pthread_getspecific(key) {
            sf_set_thread_state(pointer)
            return pointer.assumingMemoryBound(to: ThreadState.self)
        }
        let state = UnsafeMutablePointer<ThreadState>.allocate(capacity: 1)
        state.initialize(to: ThreadState())
        let code = pthread_setspecific(key, state)
        precondition(code == 0, "SimpleFutures has no memory left for a thread: pthread_setspecific gave \(code).")
        sf_set_thread_state(state)
        return state
    }

    /// Tells when a thread ends.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        // Called with the thread's own state when it ends; a later use on the same thread makes a new one.
        let code = pthread_key_create(&key) { pointer in
            let pointer: UnsafeMutableRawPointer? = pointer
            guard let state = pointer?.assumingMemoryBound(to: ThreadState.self) else { return }
            sf_set_thread_state(nil)
            state.deinitialize(count: 1)
            state.deallocate()
        }
        // Otherwise it would be key 0, which belongs to somebody else.
        precondition(
            code == 0,
            """
            SimpleFutures needs one key for the state of threads, and pthread_key_create gave \(code): the process has \
            made all that the system has (PTHREAD_KEYS_MAX), without deleting those that it no longer needs.
            """)
        return key
    }()
}
