import Dispatch
public import SimpleFutures

/// The buffer between a stream and one iterator: producers' threads add elements, the consumer takes them out in
/// batches.
@usableFromInline
final class StreamInbox<T: Sendable>: @unchecked Sendable {
    // Sendable: the buffer is accessed only under the lock of the gate.

    @usableFromInline let gate: InboxGate
    @usableFromInline @exclusivity(unchecked) var buffer = RingBuffer<Try<T>>()
    /// The first failure that was dropped: a loop that throws ends with it.
    @usableFromInline @exclusivity(unchecked) var lostFailure: (any Error)?
    /// Whether the consumer does not throw, or has ended: then no dropped failure is kept.
    @usableFromInline @exclusivity(unchecked) var keepsNoFailure = false

    @usableFromInline
    init(_ policy: StreamBufferingPolicy) { gate = InboxGate(policy) }

    /// Adds elements that the stream has emitted, or its end.
    @inlinable
    func receive(_ event: StreamEvent) {
        guard event.count > 0 else { return gate.end(with: event.signal) }
        // Released outside the lock.
        var evicted: Try<T>?
        var others: [Try<T>] = []
        gate.admit(event.count) { admission in
            for number in 0..<admission.evicted {
                guard let element = buffer.popFirst() else { break }
                if number == 0 { evicted = element } else { others.append(element) }
            }
            for index in admission.appended { buffer.append(event.result(index, as: T.self)) }
            guard admission.isLossy, lostFailure == nil, !keepsNoFailure else { return false }
            lostFailure = evicted?.error
            for element in others where lostFailure == nil { lostFailure = element.error }
            for index in 0..<event.count where lostFailure == nil && !admission.appended.contains(index) {
                lostFailure = event.result(index, as: T.self).error
            }
            return lostFailure != nil
        }
        _ = (evicted, others)
    }

    /// The result of taking from the inbox.
    @usableFromInline
    enum Taken: Sendable {
        case element(Try<T>)
        /// The number of elements dropped before the next one.
        case lag(Int)
        case end((any Error)?)
        case nothing
    }

    /// Takes out one element, or without a bound all of them.
    ///
    /// The batch must be empty.
    ///
    /// - Parameter throwing: Whether a failure ends the loop, even one that was dropped.
    @inlinable
    func take(_ batch: inout RingBuffer<Try<T>>, throwing: Bool) -> Taken {
        var element: Try<T>?
        let next = gate.next(throwing: throwing) { takesAll in
            if takesAll { swap(&buffer, &batch) } else { element = buffer.popFirst() }
        }
        if let element { return .element(element) }
        if let element = batch.popFirst() { return .element(element) }
        switch next {
        case .lag(let count): return .lag(count)
        case .lostFailure: return .end(lostFailure)
        case .end(let error): return .end(error)
        case .all, .first, .nothing: return .nothing
        }
    }

    /// Releases a dropped failure, and keeps none from now on.
    @usableFromInline
    func forgetFailures() {
        let failure = gate.look {
            keepsNoFailure = true
            return lostFailure.take()
        }
        withExtendedLifetime(failure) {}
    }

    /// The unread elements, for reports.
    var unread: Readers.Unread {
        gate.look {
            var unread = Readers.Unread(buffer.count, 0)
            buffer.forEach { if case .failure = $0 { unread.failures += 1 } }
            return unread
        }
    }

    /// Stops the inbox: the consumer takes no more elements.
    @inlinable
    func close(_ batch: inout RingBuffer<Try<T>>) {
        let rest = gate.close(batch.count) { () -> RingBuffer<Try<T>> in
            var rest = RingBuffer<Try<T>>()
            swap(&rest, &buffer)
            return rest
        }
        _ = consume rest
        forgetFailures()
        batch = RingBuffer()
    }
}

/// The part of an inbox that does not depend on the element type.
@usableFromInline
final class InboxGate: _LockedObject, @unchecked Sendable {
    // Sendable: the state is accessed only under the lock.

    @exclusivity(unchecked) private var state: InboxState
    /// The remaining steps of a canceled wait, which the consumer carries out.
    @exclusivity(unchecked) private var rest: DeferredActions?

    init(_ policy: StreamBufferingPolicy) {
        state = InboxState(policy)
        super.init()
    }

    /// - Parameter store: Stores the elements, and returns whether the first failure was dropped.
    @usableFromInline
    func admit(_ count: Int, _ store: (InboxState.Admission) -> Bool) {
        let waiter = withLock {
            if store(state.admit(count)) { state.loseFailure() }
            return state.wake()
        }
        waiter?.resume()
    }

    @usableFromInline
    func end(with signal: StreamSignal) {
        let waiter = withLock {
            state.end(with: signal)
            return state.wake()
        }
        waiter?.resume()
    }

    @usableFromInline
    func next(throwing: Bool, _ take: (_ all: Bool) -> Void) -> InboxState.Next {
        withLock {
            let next = state.next(throwing: throwing)
            switch next {
            case .all: take(true)
            case .first: take(false)
            case .lag, .lostFailure, .end, .nothing: break
            }
            return next
        }
    }

    @usableFromInline
    func close<Rest: ~Copyable>(_ taken: Int, _ empty: () -> Rest) -> Rest {
        withLock {
            state.close(taken)
            return empty()
        }
    }

    func look<Result>(_ body: () -> Result) -> Result { withLock(body) }

    /// Makes the consumer take one element at a time from now on.
    func giveOneByOne() { withLock { state.givesOneByOne = true } }

    /// Whether nothing is available.
    func isEmpty(throwing: Bool) -> Bool { withLock { state.isEmpty(throwing: throwing) } }

    /// Whether there is a waiter.
    var isAwaited: Bool { withLock { state.isAwaited } }

    @usableFromInline var dropped: Int { withLock { state.dropped } }

    // MARK: Waiting

    /// Suspends until something is available, or the task is canceled.
    ///
    /// The lock guarantees that the continuation is resumed exactly once: the thread that removes it from the state
    /// resumes it, or it is refused and resumed at once.
    ///
    /// - Parameters:
    ///   - subscriber: Is removed from the stream at once if the task is canceled.
    ///   - stream: The stream.
    @usableFromInline
    func wait(as subscriber: Subscriber, of stream: StreamCore) async {
        let isolation = #isolation
        // Outside an actor there is nothing to stay on.
        if let isolation { return await wait(as: subscriber, of: stream, on: isolation) }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { park($0) }
        } onCancel: {
            cancelWait(subscriber, stream)
        }
    }

    /// Waits on an actor.
    ///
    /// The closure mentions the actor. Otherwise it would leave the actor, and return with a hop.
    private func wait(as subscriber: Subscriber, of stream: StreamCore, on actor: isolated any Actor) async {
        await withTaskCancellationHandler {
            _ = actor
            await withUnsafeContinuation(isolation: actor) { park($0) }
        } onCancel: {
            cancelWait(subscriber, stream)
        }
    }

    private func park(_ continuation: UnsafeContinuation<Void, Never>) {
        if !withLock({ state.wait(continuation) }) { continuation.resume() }
    }

    // Called in the runtime's cancellation handler, in which no code of the user's may run. The consumer does the rest
    // when it runs; if it has already ended, a queue does.
    func cancelWait(_ subscriber: Subscriber, _ stream: StreamCore) {
        let rest = stream.leaveOnly(subscriber)
        let (waiter, isTooLate) = withLock {
            if !state.isClosed { self.rest = rest }
            return (state.cancel(), state.isClosed)
        }
        waiter?.resume()
        if isTooLate, !rest.isEmpty { DispatchQueue.global(qos: .userInitiated).async { rest.run() } }
    }

    /// Carries out the remaining steps of a canceled wait, once the inbox is closed.
    func finishLeaving() { withLock { rest.take() }?.run() }
}
