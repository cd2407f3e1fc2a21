/// The drain loop of a thread: what makes the stack constant and the order first in, first out.
///
/// While a callback of the library runs on a thread, deliveries that it causes are put off until it returns. A future
/// that completes a future that completes a future thus needs one stack frame, whatever the length of the chain.
///
/// With ``ThreadState`` it is the only one in this folder that knows what is built on it: if what is put off were
/// closures, each would be an allocation.
enum Trampoline {
    /// Delivers to the observers of a settled future: now, or when the callback that runs on this thread returns.
    ///
    /// `first` is the callback that the settling call has taken out already.
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
            whileActive(thread) { future.handOver(.foreign, on: thread) }
        }
    }

    /// Delivers to a lane of a stream: now, or when the callback that runs on this thread returns.
    static func deliver(_ lane: StreamLane, of stream: StreamCore) {
        let thread = ThreadState.current
        if thread.pointee.isActive {
            thread.pointee.jobs.append(.deliverLane(lane, stream, .here))
        } else {
            whileActive(thread) { stream.drain(lane, .here) }
        }
    }

    /// Runs what delivers on a thread on which nothing runs, then what it has caused.
    @inline(__always)
    static func whileActive(_ thread: UnsafeMutablePointer<ThreadState>, _ body: () -> Void) {
        thread.pointee.isActive = true
        body()
        if !thread.pointee.jobs.isEmpty { runJobs(on: thread) }
        thread.pointee.isActive = false
    }

    /// Runs a job in order with deliveries: now, or when the callback that runs on this thread returns.
    static func submit(_ job: @escaping @Sendable () -> Void) {
        let thread = ThreadState.current
        if thread.pointee.isActive {
            thread.pointee.jobs.append(.run(job))
        } else {
            whileActive(thread, job)
        }
    }

    /// Releases what an observer holds that will not be called, in order with deliveries.
    ///
    /// What it has captured may detach another as it is released, and so on.
    static func release(_ observer: Observer) {
        let thread = ThreadState.current
        if thread.pointee.isActive {
            thread.pointee.jobs.append(.release(observer))
        } else {
            whileActive(thread) { _ = observer.take() }
        }
    }

    // A value may hold the last reference to a future or a stream whose value holds another, and so on: a list of pages,
    // for instance. A few are destroyed inside of each other, as elsewhere in Swift; what is deeper is put off, so that
    // the stack does not grow with the list.
    private static let deepestDestruction = 16

    /// Destroys elements of a stream: now, or when the outermost destruction on this thread is done.
    static func destroy(_ remains: StreamRemains) {
        let thread = ThreadState.current
        if thread.pointee.destructionDepth < deepestDestruction {
            destroying(on: thread) { remains.destroy() }
        } else {
            thread.pointee.remains.append(.elements(remains))
        }
    }

    /// Destroys the value of a future: now, or when the outermost destruction on this thread is done.
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

    /// Runs what a context has called back for, at once; what it causes is put off until it returns.
    static func callback(_ body: () -> Void) {
        let thread = ThreadState.current
        if !thread.pointee.isActive {
            whileActive(thread, body)
        } else if thread.pointee.isHandingOver {
            // The context runs it right inside of the delivery that has handed it over. The loop below goes on.
            thread.pointee.isHandingOver = false
            body()
            thread.pointee.isHandingOver = true
        } else {
            // A callback runs an event loop, a modal dialog for instance. Nobody knows when it will return.
            body()
            runJobs(on: thread)
        }
    }

    /// Does several things before the callbacks that they cause begin to run.
    static func together(_ body: () -> Void) {
        let thread = ThreadState.current
        if thread.pointee.isActive { body() } else { whileActive(thread, body) }
    }

    /// Whether something waits until the callback that runs on this thread returns.
    static var hasDeferred: Bool { !ThreadState.current.pointee.jobs.isEmpty }

    /// Runs what this thread has put off, as long as there is a reason, so that it may block.
    ///
    /// - Parameter isNeeded: Asked before each callback.
    static func runDeferred(while isNeeded: () -> Bool = { true }) {
        let thread = ThreadState.current
        guard thread.pointee.isActive else { return }
        // The futures whose delivery is under way below us on this stack come first: their callbacks are older.
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

    /// Whether a stream is delivering on this stack what was emitted here.
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

    /// Whether a delivery of a future is under way on this stack.
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
        // Restored, not reset: a context may complete futures of its own before it runs the task.
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
            case .handOver(let future): future.handOver(.foreign, on: thread)
            case .deliverLane(let lane, let stream, let delivery): stream.drain(lane, delivery)
            case .run(let job): job()
            case .release(let observer): _ = observer.take()
            }
        }
    }
}
