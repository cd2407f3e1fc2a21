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

/// The library's state for one thread, accessed only by that thread, through a pointer.
struct ThreadState: ~Copyable {
    enum Job: ~Copyable {
        case deliver(any DeliverySource, mailbox: AnyObject?, DeliveryPlace)
        case run(() -> Void)
    }

    /// Values of a future or a stream that are to be destroyed.
    enum Remains: ~Copyable {
        case elements(any DeferredDestruction)
        /// A value on the heap.
        case value(UnsafeMutableRawPointer, destroy: (UnsafeMutableRawPointer) -> Void)
    }

    /// A delivery in progress on this stack.
    struct Frame {
        // The delivery on the stack keeps both alive.
        private let object: Unretained<AnyObject>
        private let part: Unretained<AnyObject>?
        let place: DeliveryPlace
        /// For a mailbox of a stream: the number of the delivery.
        var turn: UInt64
        // Not counted by the compiler: a future's frame would release it, too.
        private var kept: Unretained<AnyObject>?
        /// For a future: whether a callback has waited, so that other threads may have gone on.
        var isGivenUp = false
        /// For a future that dispatches: how many registrations this thread has added to it inside this frame.
        var ownAdditions: UInt32 = 0
        let outer: UnsafeMutablePointer<Frame>?

        @inline(__always)
        init(
            _ source: some DeliverySource, _ mailbox: AnyObject? = nil, _ place: DeliveryPlace = .here,
            turn: UInt64 = 0, in outer: UnsafeMutablePointer<Frame>?
        ) {
            object = Unretained(source)
            part = mailbox.map { Unretained($0) }
            self.place = place
            self.turn = turn
            self.outer = outer
        }

        // A cast, because a reference that is not counted cannot be an existential; a frame is made for each delivery,
        // and asked for its source only by a callback that waits.
        var source: (any DeliverySource)? { object.object as? any DeliverySource }
        var mailbox: AnyObject? { part?.object }

        func isOf(_ source: some DeliverySource) -> Bool { object == Unretained(source) }

        /// Holds the mailbox until the frame ends: other threads may deliver it, and remove its last subscriber.
        mutating func keepMailbox() { if kept == nil { kept = mailbox.map { Unretained(holding: $0) } } }

        @inline(__always)
        fileprivate func end() { kept?.release() }
    }

    /// Records a delivery on this stack, for callbacks that wait.
    @inline(__always)
    static func inFrame<Result>(
        _ source: some DeliverySource, _ mailbox: AnyObject? = nil, _ place: DeliveryPlace = .here, turn: UInt64 = 0,
        on thread: UnsafeMutablePointer<ThreadState>, _ body: (UnsafeMutablePointer<Frame>) -> Result
    ) -> Result {
        var frame = Frame(source, mailbox, place, turn: turn, in: thread.pointee.draining)
        return withUnsafeMutablePointer(to: &frame) { frame in
            thread.pointee.draining = frame
            defer {
                thread.pointee.draining = frame.pointee.outer
                if mailbox != nil { frame.pointee.end() }
            }
            return body(frame)
        }
    }

    /// Set while a task is passed to a context.
    var isDispatching = false
    /// Whether the innermost callback that waits must wait on, while other callbacks run on its thread.
    var isNeeded: (() -> Bool)?
    var isWaiting: Bool { isNeeded != nil }
    /// Whether another callback may start: false once that wait is over (promise 11).
    var mayGoOn: Bool {
        guard let isNeeded else { return true }
        return isNeeded()
    }

    var isActive = false
    var jobs = RingBuffer<Job>()
    /// The nesting depth of running destructions of values and elements.
    var destructionDepth = 0
    /// Values to destroy after the outermost destruction.
    var remains = RingBuffer<Remains>()
    /// Whether the diagnostics handler is running.
    var isReporting = false
    /// The nesting depth of `MaxStackDepthContext` tasks.
    var depth = 0
    /// The tracked objects that this thread has created.
    var census: CensusList?
    /// The innermost delivery on this stack.
    var draining: UnsafeMutablePointer<Frame>?
    /// The streams whose sources emit on this stack.
    var emitting: [ObjectIdentifier] = []
    /// The streams whose sources have emitted inside a callback, until there are no deferred jobs left.
    var emitted: Set<ObjectIdentifier> = []
    /// Code of the user's that runs when everything under a token is unsubscribed; nil if nothing is being unsubscribed.
    var afterUnsubscribing: [() -> Void]?
    /// The same for code that a queue runs.
    var elsewhereAfterUnsubscribing: [() -> Void]?

    static var current: UnsafeMutablePointer<ThreadState> {
        @inline(__always) get {
            if let pointer = sf_get_thread_state() { return pointer.assumingMemoryBound(to: ThreadState.self) }
            return makeCurrent()
        }
    }

    @inline(never)
    private static func makeCurrent() -> UnsafeMutablePointer<ThreadState> {
        // When a thread ends, the system may release the word before the key.
        if let pointer = pthread_getspecific(key) {
            sf_set_thread_state(pointer)
            return pointer.assumingMemoryBound(to: ThreadState.self)
        }
        let state = UnsafeMutablePointer<ThreadState>.allocate(capacity: 1)
        state.initialize(to: ThreadState())
        let code = pthread_setspecific(key, state)
        // Not a precondition, whose message a release build does not print.
        guard code == 0 else {
            fatalError("SimpleFutures has no memory left for thread-local state: pthread_setspecific returned \(code).")
        }
        sf_set_thread_state(state)
        return state
    }

    /// The key whose destructor runs when a thread ends.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        // Called with the thread's state when the thread ends. A later use on the same thread creates a new state.
        let code = pthread_key_create(&key) { pointer in
            let pointer: UnsafeMutableRawPointer? = pointer
            guard let state = pointer?.assumingMemoryBound(to: ThreadState.self) else { return }
            sf_set_thread_state(nil)
            state.deinitialize(count: 1)
            state.deallocate()
        }
        // Otherwise this would be key 0, which belongs to other code.
        guard code == 0 else {
            fatalError(
                """
                SimpleFutures needs one key for thread-local state, but pthread_key_create returned \(code): the process \
                has used all keys of the system (PTHREAD_KEYS_MAX). Delete keys that it no longer needs.
                """)
        }
        return key
    }()
}
