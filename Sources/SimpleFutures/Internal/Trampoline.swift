/// A thread's queue of deferred deliveries.
///
/// It keeps the stack depth constant and the order first in, first out.
///
/// While a callback of the library runs on a thread, the deliveries that it causes are deferred until it returns. So a
/// chain of futures that complete each other needs one stack frame, whatever its length.
@usableFromInline
enum Trampoline: Sendable {
    /// How much that comes from other threads a thread delivers before it passes the rest to another one (promise 6).
    @inlinable static var extraAllowance: Int { 64 }

    /// The identity of the current thread.
    @usableFromInline static var thread: UnsafeRawPointer { UnsafeRawPointer(ThreadState.current) }

    /// Delivers a mailbox: now, or when the callback that runs on this thread returns.
    static func deliver(_ source: some DeliverySource, _ mailbox: AnyObject? = nil, _ place: DeliveryPlace = .here) {
        let thread = ThreadState.current
        if thread.pointee.isActive {
            thread.pointee.jobs.append(.deliver(source, mailbox: mailbox, place))
        } else {
            whileActive(thread) { _ = source.deliver(mailbox, place, on: thread) }
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

    // A value may hold the last reference to a future or a stream whose value holds another, and so on: a linked list
    // of pages, for example. A few levels are destroyed recursively, as elsewhere in Swift. Deeper levels are deferred,
    // so that the stack does not grow with the list.
    private static let deepestDestruction = 16

    /// Destroys values: now, or after the outermost destruction on this thread.
    static func destroy(_ remains: some DeferredDestruction) {
        let thread = ThreadState.current
        if thread.pointee.destructionDepth < deepestDestruction {
            destroying(on: thread) { remains.destroy() }
        } else {
            thread.pointee.remains.append(.elements(remains))
        }
    }

    /// Runs code that may release the last reference to another future, stream or context, and so on: now, or after the
    /// outermost destruction on this thread.
    static func destroy(_ release: @escaping () -> Void) { destroy(Release(action: release)) }

    private struct Release: DeferredDestruction {
        let action: () -> Void

        func destroy() { action() }
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
        } else if thread.pointee.isDispatching {
            // The context runs the task inside the delivery that dispatched it. The outer loop continues afterwards.
            thread.pointee.isDispatching = false
            body()
            thread.pointee.isDispatching = true
        } else {
            // A callback runs an event loop, for example a modal dialog. It may not return for a long time, and a wait
            // below it cannot end before.
            let wait = thread.pointee.isNeeded
            thread.pointee.isNeeded = nil
            body()
            runJobs(on: thread)
            thread.pointee.isNeeded = wait
        }
    }

    /// Unsubscribes what is under a token, or from the sources of a stream that ends with the next element, before any
    /// code of the user's runs, which may wait for a future under the token, or for that element.
    ///
    /// That is: callbacks, handlers, code that stops the source of a stream or a timer, and the `deinit` of elements and
    /// contexts.
    ///
    /// - Parameters:
    ///   - inJobs: Whether that code also runs after the callbacks that `passOn` has caused, except for what a queue runs:
    ///     no callback can hold that up.
    ///   - leave: Unsubscribes.
    ///   - passOn: Passes on the last element.
    static func unsubscribe(thenInJobs inJobs: Bool = false, _ leave: () -> Void, passOn: () -> Void = {}) {
        together {
            let thread = ThreadState.current
            let isOutermost = thread.pointee.afterUnsubscribing == nil
            if isOutermost { thread.pointee.afterUnsubscribing = [] }
            let isFirst = thread.pointee.elsewhereAfterUnsubscribing == nil
            if isFirst { thread.pointee.elsewhereAfterUnsubscribing = [] }
            leave()
            if isFirst { for action in thread.pointee.elsewhereAfterUnsubscribing.take() ?? [] { action() } }
            passOn()
            guard isOutermost else { return }
            for action in thread.pointee.afterUnsubscribing.take() ?? [] {
                if inJobs { thread.pointee.jobs.append(.run(action)) } else { action() }
            }
        }
    }

    /// Unsubscribes where no code of the user's may run, and returns the remaining steps.
    static func unsubscribeOnly(_ leave: () -> Void) -> [() -> Void] {
        let thread = ThreadState.current
        // Jobs that an outer callback has deferred stay in their place.
        let isActive = thread.pointee.isActive
        let (later, elsewhere) = (thread.pointee.afterUnsubscribing, thread.pointee.elsewhereAfterUnsubscribing)
        var jobs = RingBuffer<ThreadState.Job>()
        swap(&jobs, &thread.pointee.jobs)
        thread.pointee.isActive = true
        (thread.pointee.afterUnsubscribing, thread.pointee.elsewhereAfterUnsubscribing) = ([], [])
        leave()
        var rest = (thread.pointee.elsewhereAfterUnsubscribing ?? []) + (thread.pointee.afterUnsubscribing ?? [])
        while let job = thread.pointee.jobs.popFirst() {
            switch consume job {
            case .run(let action): rest.append(action)
            case .deliver(let source, let mailbox, let place): rest.append { deliver(source, mailbox, place) }
            }
        }
        swap(&jobs, &thread.pointee.jobs)
        thread.pointee.isActive = isActive
        (thread.pointee.afterUnsubscribing, thread.pointee.elsewhereAfterUnsubscribing) = (later, elsewhere)
        return rest
    }

    /// Runs code of the user's, such as to stop a source: now, or when everything is unsubscribed.
    ///
    /// - Parameter runsElsewhere: Whether a queue runs that code.
    static func afterUnsubscribing(runsElsewhere: Bool = false, _ action: @escaping () -> Void) {
        let thread = ThreadState.current
        if !isUnsubscribing(runsElsewhere: runsElsewhere) {
            action()
        } else if runsElsewhere {
            thread.pointee.elsewhereAfterUnsubscribing?.append(action)
        } else {
            thread.pointee.afterUnsubscribing?.append(action)
        }
    }

    static func isUnsubscribing(runsElsewhere: Bool) -> Bool {
        let thread = ThreadState.current
        return runsElsewhere
            ? thread.pointee.elsewhereAfterUnsubscribing != nil : thread.pointee.afterUnsubscribing != nil
    }

    /// Remembers an emission until there are no deferred jobs left, because it may have caused any of them.
    static func remember(emissionOf stream: ObjectIdentifier, on thread: UnsafeMutablePointer<ThreadState>) {
        let isFirst = thread.pointee.emitted.isEmpty
        thread.pointee.emitted.insert(stream)
        if isFirst { submit { forgetEmissions() } }
    }

    private static func forgetEmissions() {
        if hasDeferred { submit { forgetEmissions() } } else { ThreadState.current.pointee.emitted = [] }
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
    /// - Parameter isNeeded: Called once or several times before each callback.
    static func runDeferred(while isNeeded: @escaping () -> Bool) {
        let thread = ThreadState.current
        guard thread.pointee.isActive else { return }
        let outer = thread.pointee.isNeeded
        thread.pointee.isNeeded = isNeeded
        // Deliveries in progress further down on this stack come first: their callbacks are older.
        drainAgain(thread.pointee.draining, on: thread)
        while runJobs(on: thread) {
            // A wait inside a job may have taken such a delivery over, and stopped before its end.
            drainAgain(thread.pointee.draining, on: thread)
        }
        thread.pointee.isNeeded = outer
    }

    private static func drainAgain(
        _ frame: UnsafeMutablePointer<ThreadState.Frame>?, on thread: UnsafeMutablePointer<ThreadState>
    ) {
        guard let frame else { return }
        drainAgain(frame.pointee.outer, on: thread)
        frame.pointee.source?.deliverAgain(in: frame, on: thread)
    }

    /// Passes a task to a context, which may run it at once.
    static func dispatch(on thread: UnsafeMutablePointer<ThreadState>, _ execute: () -> Void) {
        // Restored, not reset: a context may complete other futures before it runs the task.
        let outer = thread.pointee.isDispatching
        thread.pointee.isDispatching = true
        execute()
        thread.pointee.isDispatching = outer
    }

    /// Runs the deferred jobs; inside a wait, until that is over.
    ///
    /// Returns whether it has run a job.
    @discardableResult
    static func runJobs(on thread: UnsafeMutablePointer<ThreadState>) -> Bool {
        var hasRun = false
        while thread.pointee.mayGoOn {
            guard let job = thread.pointee.jobs.popFirst() else { break }
            hasRun = true
            switch consume job {
            case .deliver(let source, let mailbox, let place):
                if !source.deliver(mailbox, place, on: thread) {
                    thread.pointee.jobs.prepend(.deliver(source, mailbox: mailbox, place))
                }
            case .run(let job): job()
            }
        }
        return hasRun
    }
}
