extension FutureStream {
    /// A stream of the values after which there has been a pause.
    ///
    ///     let queries = searchField.edits.debounce(.milliseconds(300))
    ///
    /// A value that is followed by another one before the time has passed is left out. Failures are never held back nor
    /// left out: one comes at once, and before it the value that was waiting. So does the end, if this stream finishes;
    /// if it is cancelled, what is waiting is not emitted.
    ///
    /// - Parameters:
    ///   - duration: How long the pause must be. Zero or less means as soon as the context gets round to it.
    ///   - context: Waits: its timers are used, so that a ``ManualContext`` needs no real time. The timer is freed as
    ///     soon as the new stream has ended, or nobody will see an element of it any more.
    ///   - cancelToken: Detaches the new stream; it is then cancelled.
    public func debounce(
        _ duration: Duration, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none
    ) -> FutureStream<T> {
        pace(Pacing(.debounce), duration, context, cancelToken)
    }

    /// A stream that emits at most one value in a time.
    ///
    ///     let positions = gps.positions.throttle(.seconds(1))
    ///
    /// The first value comes at once. Of those that come before the time has passed the latest is emitted at its end,
    /// and the time begins anew. Failures are never held back nor left out: one comes at once, and before it the value
    /// that was waiting. So does the end, if this stream finishes; if it is cancelled, what is waiting is not emitted.
    ///
    /// - Parameters:
    ///   - duration: How long after a value the next one may be emitted.
    ///   - latest: False leaves out all values that come too early, the latest too.
    ///   - context: Waits: its timers are used, so that a ``ManualContext`` needs no real time. The timer is freed as
    ///     soon as the new stream has ended, or nobody will see an element of it any more.
    ///   - cancelToken: Detaches the new stream; it is then cancelled.
    public func throttle(
        _ duration: Duration, latest: Bool = true, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none
    ) -> FutureStream<T> {
        pace(Pacing(.throttle(keepsLatest: latest)), duration, context, cancelToken)
    }

    /// A stream of the same elements that fails and finishes if the next one takes too long.
    ///
    ///     let beats = sensor.beats.timeout(.seconds(5))
    ///
    ///     elements      1   2   !               3
    ///     new stream    1   2   !       timedOut|
    ///
    /// The time begins with this call, and anew with each element, a failure too. When it has passed, the new stream
    /// fails with ``FuturesError/timedOut(after:createdAt:)`` and finishes, and leaves this one. It ends as this one
    /// does, if that comes first. Combine's `timeout` finishes as well, but without an error unless it is given one.
    ///
    /// - Parameters:
    ///   - duration: How long to wait for an element. Zero or less means as soon as the context gets round to it.
    ///   - context: Waits: its timers are used, so that a ``ManualContext`` needs no real time. The timer is freed as
    ///     soon as the new stream has ended, or nobody will see an element of it any more.
    ///   - cancelToken: Detaches the new stream; it is then cancelled.
    ///   - fileID: Where it is called, for the error.
    ///   - line: Where it is called, for the error.
    public func timeout(
        _ duration: Duration, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line
    ) -> FutureStream<T> {
        let error = FuturesError.timedOut(after: duration, createdAt: CreationSite(fileID: fileID, line: line))
        return pace(Pacing(.timeout(error)), duration, context, cancelToken)
    }

    private func pace(
        _ pacing: consuming Pacing<T>, _ duration: Duration, _ context: any ExecutionContext, _ token: CancelToken
    ) -> FutureStream<T> {
        let derived = FutureStream(producedWith: capacity)
        let pacer = Pacer(pacing, duration, context, to: derived.core)
        pacer.begin()
        core.subscribe(.everything, under: token, target: derived.core) { event, _ in pacer.take(event) }
        derived.core.setWork { pacer.stop() }
        return derived
    }
}

/// What is done with values in the time after one.
private enum PacingRule: Sendable {
    /// Each value begins the time anew, and comes at its end.
    case debounce
    /// A value comes at once if no time is running; others wait for its end, or are left out.
    case throttle(keepsLatest: Bool)
    /// Each element comes at once and begins the time anew; its end is a failure.
    case timeout(FuturesError)

    var startsNewTimer: Bool { if case .throttle = self { false } else { true } }
    var emitsFirst: Bool { if case .debounce = self { false } else { true } }
    var keepsLatest: Bool { if case .throttle(let keepsLatest) = self { keepsLatest } else { true } }
    var error: FuturesError? { if case .timeout(let error) = self { error } else { nil } }
}

/// The state machine of `debounce`, `throttle` and `timeout`: a value that waits for a timer, or a timer for a value.
private struct Pacing<T: Sendable>: ~Copyable {
    private let pace: PacingRule

    private var waiting: T?
    /// When the pause will be over, if times are compared.
    private var deadline: Duration?
    /// Counts the timers, so that one that was called off too late does nothing.
    private var number = 0
    private var isRunning = false
    /// Whether nobody will see another value.
    private var isUnseen = false
    private var timer: Registration?

    enum Output: Sendable {
        case element(Try<T>)
        case end(StreamSignal)
    }

    typealias Outputs = RingBuffer<Output>

    init(_ pace: PacingRule) { self.pace = pace }

    var startsNewTimer: Bool { pace.startsNewTimer }

    /// Before the first element.
    mutating func begin(until deadline: Duration?) -> Action {
        guard pace.error != nil else { return Action() }
        self.deadline = deadline
        return start(leftOut: nil)
    }

    /// What is to be done outside of the lock.
    struct Action {
        /// A timer that is not needed any more; one that has elapsed is merely released.
        var old: Registration?
        /// The number of a timer to be started.
        var start: Int?
        /// When it is to elapse, if that is not after the whole duration.
        var deadline: Duration?
        /// Released outside.
        var leftOut: T?
    }

    /// - Parameter deadline: When the pause after this value is over; nil if each value needs a timer of its own.
    mutating func take(_ event: StreamEvent, until deadline: Duration?, _ outputs: inout Outputs) -> Action {
        switch event.signal {
        case .success:
            self.deadline = deadline
            return take(event.value(as: T.self), &outputs)
        case .failure:
            flush(&outputs)
            outputs.append(.element(event.result(as: T.self)))
            if pace.error != nil { return restart(until: deadline) }
            return startsNewTimer ? stop() : Action()
        case .finish:
            flush(&outputs)
            outputs.append(.end(.finish))
            return stop()
        case .cancellation:
            outputs.append(.end(.cancellation))
            return stop()
        }
    }

    private mutating func take(_ value: T, _ outputs: inout Outputs) -> Action {
        if isUnseen { return Action() }
        if pace.error != nil {
            outputs.append(.element(.success(value)))
            return restart(until: deadline)
        }
        if isRunning, !startsNewTimer { return pace.keepsLatest ? Action(leftOut: exchange(value)) : Action() }
        // When it elapses it is looked how much of the pause is left.
        if isRunning, deadline != nil { return Action(leftOut: exchange(value)) }
        guard pace.emitsFirst else { return start(leftOut: exchange(value)) }
        outputs.append(.element(.success(value)))
        return start(leftOut: nil)
    }

    /// Begins the time anew, unless it is over.
    private mutating func restart(until deadline: Duration?) -> Action {
        guard isRunning else { return Action() }
        self.deadline = deadline
        return deadline == nil ? start(leftOut: nil) : Action()
    }

    private mutating func exchange(_ value: T?) -> T? {
        defer { waiting = value }
        return waiting
    }

    private mutating func start(leftOut: T?) -> Action {
        number += 1
        isRunning = true
        return Action(old: timer.take(), start: number, leftOut: leftOut)
    }

    private mutating func stop() -> Action {
        number += 1
        isRunning = false
        return Action(old: timer.take(), leftOut: exchange(nil))
    }

    /// Nobody will see another value: no timer is needed any more, and none that would be started.
    mutating func abandon() -> Action {
        isUnseen = true
        return stop()
    }

    private mutating func flush(_ outputs: inout Outputs) {
        if let value = exchange(nil) { outputs.append(.element(.success(value))) }
    }

    /// False when that timer is not needed any more.
    mutating func keep(_ timer: Registration, _ number: Int) -> Bool {
        guard isRunning, number == self.number else { return false }
        self.timer = timer
        return true
    }

    /// A timer's time has come.
    mutating func elapse(_ number: Int, at now: Duration, _ outputs: inout Outputs) -> Action {
        guard isRunning, number == self.number else { return Action() }
        if let deadline, deadline > now {
            var action = start(leftOut: nil)
            action.deadline = deadline
            return action
        }
        isRunning = false
        if let error = pace.error {
            outputs.append(.element(.failure(error)))
            outputs.append(.end(.finish))
            return stop()
        }
        guard let value = exchange(nil) else { return Action(old: timer.take()) }
        outputs.append(.element(.success(value)))
        // Of a throttled stream the time begins anew with each value.
        return pace.emitsFirst ? start(leftOut: nil) : Action(old: timer.take())
    }

    /// The context has dropped a timer, and what waits for it would wait for ever; a timeout keeps nothing waiting.
    mutating func lose(_ number: Int, _ outputs: inout Outputs) -> Action {
        guard isRunning, number == self.number else { return Action() }
        if pace.error != nil { return stop() }
        flush(&outputs)
        outputs.append(.element(.failure(FuturesError.brokenPromise(createdAt: nil))))
        outputs.append(.end(.finish))
        return stop()
    }
}

/// Carries out what `Pacing` has decided.
private final class Pacer<T: Sendable>: Sendable {
    private let outlet: StreamOutlet<Pacing<T>, Pacing<T>.Output>
    private let duration: Duration
    private let context: any ExecutionContext
    /// Whether one timer serves values that follow each other, since a timer costs more than a look at the time.
    ///
    /// So it is on the library's own contexts. Others may have timers of a time of their own.
    private let comparesTimes: Bool

    init(
        _ pacing: consuming Pacing<T>, _ duration: Duration, _ context: any ExecutionContext, to target: StreamCore
    ) {
        self.duration = duration
        comparesTimes = pacing.startsNewTimer && context._route.kind != .custom && duration > .zero
        self.context = context.forWaiting
        outlet = StreamOutlet(pacing, to: target) { output, target in
            switch output {
            case .element(let result): target.pass(result)
            case .end(let signal): target.end(like: signal)
            }
        }
    }

    private var deadline: Duration? { comparesTimes ? context.now + duration : nil }

    func begin() {
        let deadline = deadline
        carryOut(outlet.feed { pacing, _ in pacing.begin(until: deadline) })
    }

    func take(_ event: StreamEvent) {
        let deadline = deadline
        carryOut(outlet.feed { $0.take(event, until: deadline, &$1) })
    }

    func stop() { carryOut(outlet.feed { pacing, _ in pacing.abandon() }) }

    fileprivate func elapse(_ number: Int) {
        let now = comparesTimes ? context.now : .zero
        carryOut(outlet.feed { $0.elapse(number, at: now, &$1) })
    }

    fileprivate func lose(_ number: Int) { carryOut(outlet.feed { $0.lose(number, &$1) }) }

    private func carryOut(_ action: Pacing<T>.Action) {
        action.old?.cancel()
        guard let number = action.start else { return }
        let task = PacerTask(self, number)
        let delay = action.deadline.map { $0 - context.now } ?? duration
        let timer = context.execute(after: delay) { task.run() }
        if !outlet.feed({ pacing, _ in pacing.keep(timer, number) }) { timer.cancel() }
    }
}

/// A timer's task, or the news that the context has dropped it.
private final class PacerTask<T: Sendable>: @unchecked Sendable {
    // Sendable, because it is constant. Weak, since the pacer holds the context, which holds this. A variable for
    // compilers before 6.3, which know no weak constant.
    private weak var pacer: Pacer<T>?
    private let number: Int

    init(_ pacer: Pacer<T>, _ number: Int) {
        self.pacer = pacer
        self.number = number
    }

    func run() { Trampoline.callback { pacer?.elapse(number) } }

    // Of a timer that has elapsed or was called off the pacer wants to know no more.
    deinit { pacer?.lose(number) }
}
