public import SimpleFutures

/// The buffer between a stream and one iterator: elements come in on the threads of the producers, and are taken out by
/// the consumer in batches.
@usableFromInline
final class StreamInbox<T: Sendable>: @unchecked Sendable {
    // Sendable, because the buffer is reached under the lock of the gate alone.

    @usableFromInline let gate: InboxGate
    @usableFromInline @exclusivity(unchecked) var buffer = RingBuffer<Try<T>>()

    @usableFromInline
    init(_ policy: StreamBufferingPolicy) { gate = InboxGate(policy) }

    /// Takes in what the stream has emitted.
    @inlinable
    func receive(_ event: StreamEvent) {
        guard event.count > 0 else { return gate.end(with: event.signal) }
        // Released outside of the lock.
        var evicted: Try<T>?
        var others: [Try<T>] = []
        gate.admit(event.count) { admission in
            for number in 0..<admission.evicted {
                guard let element = buffer.popFirst() else { break }
                if number == 0 { evicted = element } else { others.append(element) }
            }
            for index in admission.appended { buffer.append(event.result(index, as: T.self)) }
        }
        _ = (evicted, others)
    }

    /// What the consumer is given.
    @usableFromInline
    enum Taken: Sendable {
        case element(Try<T>)
        /// So many were dropped before the next element.
        case lag(Int)
        case end((any Error)?)
        case nothing
    }

    /// Takes out everything, where there is no bound; the batch must be empty.
    @inlinable
    func take(_ batch: inout RingBuffer<Try<T>>) -> Taken {
        var element: Try<T>?
        let next = gate.next { takesAll in
            if takesAll { swap(&buffer, &batch) } else { element = buffer.popFirst() }
        }
        if let element { return .element(element) }
        if let element = batch.popFirst() { return .element(element) }
        switch next {
        case .lag(let count): return .lag(count)
        case .end(let error): return .end(error)
        case .all, .first, .nothing: return .nothing
        }
    }

    /// What waits in it, for reports.
    var unread: Readers.Unread {
        gate.look {
            var unread = Readers.Unread(buffer.count, 0)
            buffer.forEach { if case .failure = $0 { unread.failures += 1 } }
            return unread
        }
    }

    /// The consumer wants no more.
    @inlinable
    func close(_ batch: inout RingBuffer<Try<T>>) {
        let rest = gate.close(batch.count) { () -> RingBuffer<Try<T>> in
            var rest = RingBuffer<Try<T>>()
            swap(&rest, &buffer)
            return rest
        }
        _ = consume rest
        batch = RingBuffer()
    }
}

/// What of an inbox does not depend on the type of the elements.
@usableFromInline
final class InboxGate: _LockedObject, @unchecked Sendable {
    // Sendable, because the state is reached under the lock alone.

    @exclusivity(unchecked) private var state: InboxState

    init(_ policy: StreamBufferingPolicy) {
        state = InboxState(policy)
        super.init()
    }

    @usableFromInline
    func admit(_ count: Int, _ store: (InboxState.Admission) -> Void) {
        let waiter = withLock {
            store(state.admit(count))
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
    func next(_ take: (_ all: Bool) -> Void) -> InboxState.Next {
        withLock {
            let next = state.next()
            switch next {
            case .all: take(true)
            case .first: take(false)
            case .lag, .end, .nothing: break
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

    /// Has the consumer take one element at a time from now on.
    func giveOneByOne() { withLock { state.givesOneByOne = true } }

    /// Whether nothing has come.
    var isEmpty: Bool { withLock { state.isEmpty } }

    /// Whether somebody waits.
    var isAwaited: Bool { withLock { state.isAwaited } }

    @usableFromInline var dropped: Int { withLock { state.dropped } }

    // MARK: Waiting

    /// Suspends until there is something to take, or the task is canceled.
    ///
    /// That the continuation is resumed exactly once follows from the lock: whoever takes it out of the state resumes
    /// it, or it was refused, and is resumed on the spot.
    @usableFromInline
    func wait() async {
        let isolation = #isolation
        // Off any actor there is nothing to stay on.
        if let isolation { return await wait(on: isolation) }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { park($0) }
        } onCancel: {
            cancelWait()
        }
    }

    /// Waits on an actor.
    ///
    /// The closure names it, as it would otherwise leave the actor, and come back to it with a hop.
    private func wait(on actor: isolated any Actor) async {
        await withTaskCancellationHandler {
            _ = actor
            await withUnsafeContinuation(isolation: actor) { park($0) }
        } onCancel: {
            cancelWait()
        }
    }

    private func park(_ continuation: UnsafeContinuation<Void, Never>) {
        if !withLock({ state.wait(continuation) }) { continuation.resume() }
    }

    // Inside the runtime's cancellation handler: nothing may be released here that is the user's. The consumer does the
    // rest as soon as it runs.
    private func cancelWait() { withLock { state.cancel() }?.resume() }
}
