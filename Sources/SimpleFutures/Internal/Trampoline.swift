/// A thread's queue of deferred deliveries.
///
/// It keeps the stack depth constant and the order first in, first out.
///
/// While a callback of the library runs on a thread, the deliveries that it causes are deferred until it returns. So a
/// chain of futures that complete each other needs one stack frame, whatever its length.
///
/// This file and ``ThreadState`` are the only ones in this folder that use types built on top of it: if the deferred
/// jobs were closures, each would be an allocation.
enum Trampoline {
    /// Delivers to the observers of a settled future: now, or when the current callback on this thread returns.
    ///
    /// `first` is the callback that the settling call has already removed.
    static func deliver(_ future: AnyFuture, first: consuming Callback? = nil) {
        let thread = ThreadState.current
        if !thread.pointee.isActive {
            thread.pointee.isActive = true
            future.drain(on: thread, first: first)
            runJobs(on: thread)
            thread.pointee.isActive = false
        } else if first != nil || !future.withState({ $0.endIfNothingIsLeft() }) {
            thread.pointee.jobs.append(.deliver(future, first: first))
        }
    }

    /// Hands the observers of a future over to contexts of the user's, which may run them at once.
    static func handOver(_ future: AnyFuture) {
        let thread = ThreadState.current
        if thread.pointee.isActive {
            thread.pointee.jobs.append(.handOver(future))
        } else {
            whileActive(thread) { future.handOver(.foreign, isOwner: false, on: thread) }
        }
    }

    /// Delivers to a mailbox of a stream: now, or when the callback that runs on this thread returns.
    static func deliver(_ lane: StreamLane, of stream: StreamCore) {
        let thread = ThreadState.current
        if thread.pointee.isActive {
            thread.pointee.jobs.append(.deliverLane(lane, stream, .here))
        } else {
            whileActive(thread) { stream.drain(lane, .here) }
        }
    }

    /// Runs a delivery on an idle thread, then the jobs that it has caused.
    @inline(__always)
    static func whileActive(_ thread: UnsafeMutablePointer<ThreadState>, _ body: () -> Void) {
        thread.pointee.isActive = true
        body()
        if !thread.pointee.jobs.isEmpty { runJobs(on: thread) }
        thread.pointee.isActive = false
    }

    /// Runs a job in order with deliveries: now, or when the current callback on this thread returns.
    static func submit(_ job: @escaping @Sendable () -> Void) {
        let thread = ThreadState.current
        if thread.pointee.isActive {
            thread.pointee.jobs.append(.run(job))
        } else {
            whileActive(thread, job)
        }
    }

    /// Releases the captures of an observer that will not be called, in order with deliveries.
    ///
    /// Releasing them may unsubscribe another observer, and so on.
    static func release(_ observer: Observer) {
        let thread = ThreadState.current
        if thread.pointee.isActive {
            thread.pointee.jobs.append(.release(observer))
        } else {
            whileActive(thread) { _ = observer.take() }
        }
    }

    // A value may hold the last reference to a future or a stream whose value holds another, and so on: a linked list
    // of pages, for example. A few levels are destroyed recursively, as elsewhere in Swift. Deeper levels are deferred,
    // so that the stack does not grow with the list.
    private static let deepestDestruction = 16

    /// Destroys elements of a stream: now, or after the outermost destruction on this thread.
    static func destroy(_ remains: StreamRemains) {
        let thread = ThreadState.current
        if thread.pointee.destructionDepth < deepestDestruction {
            destroying(on: thread) { remains.destroy() }
        } else {
            thread.pointee.remains.append(.elements(remains))
        }
    }

    /// Destroys the value of a future: now, or after the outermost destruction on this thread.
    static func destroy<Value>(_ payload: UnsafeMutableRawPointer, as _: Value.Type) {
        let thread = ThreadState.current
        if thread.pointee.destructionDepth < deepestDestruction {
            destroying(on: thread) { Payload.destroy(payload, as: Value.self) }
        } else {
            let box = Payload.moveToBox(payload, as: Value.self)
            thread.pointee.remains.append(.value(box) { Payload.destroyBox($0, as: Value.self) })
        }
    }

    @inline(__always)
    private static func destroying(on thread: UnsafeMutablePointer<ThreadState>, _ body: () -> Void) {
        thread.pointee.destructionDepth += 1
        body()
        if thread.pointee.destructionDepth == 1, !thread.pointee.remains.isEmpty { destroyRemains(on: thread) }
        thread.pointee.destructionDepth -= 1
    }

    @inline(never)
    private static func destroyRemains(on thread: UnsafeMutablePointer<ThreadState>) {
        while let remains = thread.pointee.remains.popFirst() {
            switch consume remains {
            case .elements(let elements): elements.destroy()
            case .value(let box, let destroy): destroy(box)
            }
        }
    }

    /// Runs a dispatched callback at once.
    ///
    /// The deliveries that it causes are deferred until it returns.
    static func callback(_ body: () -> Void) {
        let thread = ThreadState.current
        if !thread.pointee.isActive {
            whileActive(thread, body)
        } else if thread.pointee.isHandingOver {
            // The context runs the task inside the delivery that dispatched it. The outer loop continues afterwards.
            thread.pointee.isHandingOver = false
            body()
            thread.pointee.isHandingOver = true
        } else {
            // A callback runs an event loop, for example a modal dialog. It may not return for a long time.
            body()
            runJobs(on: thread)
        }
    }

    /// Performs several steps before the callbacks that they cause begin to run.
    static func together(_ body: () -> Void) {
        let thread = ThreadState.current
        if thread.pointee.isActive { body() } else { whileActive(thread, body) }
    }

    /// Whether jobs are deferred until the current callback on this thread returns.
    static var hasDeferred: Bool { !ThreadState.current.pointee.jobs.isEmpty }

    /// Runs this thread's deferred jobs while `isNeeded` returns true, so that the thread may block afterwards.
    ///
    /// - Parameter isNeeded: Called before each callback.
    static func runDeferred(while isNeeded: () -> Bool = { true }) {
        let thread = ThreadState.current
        guard thread.pointee.isActive else { return }
        // Futures whose delivery is in progress further down on this stack come first: their callbacks are older.
        drainAgain(thread.pointee.draining, on: thread, while: isNeeded)
        runJobs(on: thread, while: isNeeded)
    }

    private static func drainAgain(
        _ frame: UnsafeMutablePointer<ThreadState.Frame>?, on thread: UnsafeMutablePointer<ThreadState>,
        while isNeeded: () -> Bool
    ) {
        guard let frame else { return }
        drainAgain(frame.pointee.outer, on: thread, while: isNeeded)
        switch frame.pointee.source {
        case .future(let future):
            future.takeUnretainedValue().drainAgain(in: frame, on: thread, while: isNeeded)
        case .departure(let future):
            future.takeUnretainedValue()
                .handOverAgain(UInt32(truncatingIfNeeded: frame.pointee.turn), on: thread, while: isNeeded)
        case .lane(let lane, let stream, let delivery):
            guard isNeeded() else { return }
            frame.pointee.kept = lane.takeUnretainedValue()
            stream.takeUnretainedValue()
                .drainAgain(lane.takeUnretainedValue(), delivery, frame.pointee.turn, while: isNeeded)
        }
    }

    /// Whether a stream is delivering, on this stack, an element that was emitted on this thread.
    static func isEmitting(_ stream: StreamCore) -> Bool {
        var frame = ThreadState.current.pointee.draining
        while let current = frame {
            if case .lane(_, let other, .here) = current.pointee.source,
                other.toOpaque() == Unmanaged.passUnretained(stream).toOpaque()
            {
                return true
            }
            frame = current.pointee.outer
        }
        return false
    }

    /// Whether a delivery of a future is in progress on this stack.
    static func isDelivering(_ future: AnyFuture) -> Bool {
        var frame = ThreadState.current.pointee.draining
        while let current = frame {
            if case .future(let other) = current.pointee.source,
                other.toOpaque() == Unmanaged.passUnretained(future).toOpaque()
            {
                return true
            }
            frame = current.pointee.outer
        }
        return false
    }

    static func handOver(
        to route: _Route, on thread: UnsafeMutablePointer<ThreadState>, _ task: @escaping @Sendable () -> Void
    ) {
        // Restored, not reset: a context may complete other futures before it runs the task.
        let outer = thread.pointee.isHandingOver
        thread.pointee.isHandingOver = true
        route.execute(task)
        thread.pointee.isHandingOver = outer
    }

    private static func runJobs(
        on thread: UnsafeMutablePointer<ThreadState>, while isNeeded: () -> Bool = { true }
    ) {
        while isNeeded(), let job = thread.pointee.jobs.popFirst() {
            switch consume job {
            case .deliver(let future, let first): future.drain(on: thread, first: first)
            case .handOver(let future): future.handOver(.foreign, isOwner: false, on: thread)
            case .deliverLane(let lane, let stream, let delivery): stream.drain(lane, delivery)
            case .run(let job): job()
            case .release(let observer): _ = observer.take()
            }
        }
    }
}
