#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The drain loop of a thread: what makes the stack constant and the order first in, first out.
///
/// While a callback of the library runs on a thread, deliveries that it causes are put off until it returns. A future
/// that completes a future that completes a future thus needs one stack frame, whatever the length of the chain.
enum Trampoline {
    /// Delivers to the observers of a settled future: now, or when the callback that runs on this thread returns.
    static func deliver(_ future: AnyFuture) {
        let thread = ThreadState.current
        if !thread.isActive {
            thread.enter { future.drain(on: thread) }
        } else if future.drainAhead(on: thread) {
            thread.jobs.append(.deliver(future))
        }
    }

    /// Runs a job in order with deliveries: now, or when the callback that runs on this thread returns.
    static func submit(_ job: @escaping @Sendable () -> Void) {
        let thread = ThreadState.current
        if thread.isActive {
            thread.jobs.append(.run(job))
        } else {
            thread.enter(job)
        }
    }

    /// Runs what a context has called back for, at once; what it causes is put off until it returns.
    static func callback(_ body: () -> Void) {
        let thread = ThreadState.current
        if !thread.isActive {
            thread.enter(body)
        } else if thread.isHandingOver {
            // The context runs it right inside of the delivery that has handed it over. The loop below goes on.
            thread.isHandingOver = false
            body()
            thread.isHandingOver = true
        } else {
            // A callback runs an event loop, a modal dialog for instance. Nobody knows when it will return.
            body()
            thread.runJobs()
        }
    }

    /// Does several things before the callbacks that they cause begin to run.
    static func together(_ body: () -> Void) {
        let thread = ThreadState.current
        if thread.isActive { body() } else { thread.enter(body) }
    }

    /// Runs whatever this thread has put off, so that it may block.
    static func runDeferred() {
        let thread = ThreadState.current
        guard thread.isActive else { return }
        // The futures whose delivery is under way below us on this stack come first: their callbacks are older.
        for future in thread.draining { future.takeUnretainedValue().drainAgain(on: thread) }
        thread.runJobs()
    }
}

/// What a thread of the library remembers.
///
/// Reached by that thread alone. Exclusivity is not checked at run time, which would cost a tenth of a delivery: each
/// access is one step of the ring or the array, and none of them runs code of anybody else.
final class ThreadState {
    enum Job {
        case deliver(AnyFuture)
        case run(@Sendable () -> Void)
    }

    @exclusivity(unchecked) private(set) var isActive = false
    /// Set while a context is given a task.
    @exclusivity(unchecked) var isHandingOver = false
    @exclusivity(unchecked) var jobs = RingBuffer<Job>()
    /// The futures that are delivering on this stack, outermost first.
    ///
    /// The frames below keep them alive.
    @exclusivity(unchecked) var draining: ContiguousArray<Unmanaged<AnyFuture>> = []

    static var current: ThreadState {
        if let pointer = pthread_getspecific(key) {
            return Unmanaged<ThreadState>.fromOpaque(pointer).takeUnretainedValue()
        }
        return makeCurrent()
    }

    @inline(never)
    private static func makeCurrent() -> ThreadState {
        let state = ThreadState()
        pthread_setspecific(key, Unmanaged.passRetained(state).toOpaque())
        return state
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        // Called with the thread's own state when it ends; a later use on the same thread makes a new one.
        pthread_key_create(&key) { pointer in
            let pointer: UnsafeMutableRawPointer? = pointer
            if let pointer { Unmanaged<ThreadState>.fromOpaque(pointer).release() }
        }
        return key
    }()

    @inline(__always)
    func enter(_ body: () -> Void) {
        isActive = true
        body()
        runJobs()
        isActive = false
    }

    func handOver(to route: _Route, _ task: @escaping @Sendable () -> Void) {
        isHandingOver = true
        route.execute(task)
        isHandingOver = false
    }

    func runJobs() {
        while let job = jobs.popFirst() {
            switch job {
            case .deliver(let future): future.drain(on: self)
            case .run(let job): job()
            }
        }
    }
}
