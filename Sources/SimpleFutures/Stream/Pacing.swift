/// The rule for values that arrive while a timer runs.
@usableFromInline
enum PacingRule: Sendable {
    /// Each value restarts the timer, and is emitted when it fires.
    case debounce
    /// A value is emitted at once if no timer runs; others wait for the timer, or are dropped.
    case throttle(keepsLatest: Bool)
    /// Each element is emitted at once and restarts the timer, which fails the stream when it fires.
    case timeout(FuturesError)

    var startsNewTimer: Bool { if case .throttle = self { false } else { true } }
    var emitsFirst: Bool { if case .debounce = self { false } else { true } }
    var keepsLatest: Bool { if case .throttle(let keepsLatest) = self { keepsLatest } else { true } }
    var error: FuturesError? { if case .timeout(let error) = self { error } else { nil } }
}

/// An element that waits for its turn: emits it into a stream.
// A closure, so that only this is compiled for each type of value.
@usableFromInline
typealias PacedElement = @Sendable (StreamCore) -> Void

/// The state machine of `debounce`, `throttle` and `timeout`: the waiting value and the running timer.
struct Pacing: ~Copyable {
    private let pace: PacingRule
    private let hold: @Sendable (StreamEvent) -> PacedElement

    private var waiting: PacedElement?
    /// The end of the pause, if times are compared.
    private var deadline: Duration?
    /// The number of the current timer, so that a timer that was canceled too late has no effect.
    private var number = 0
    private var isRunning = false
    /// Whether there are no subscribers for further values.
    private var isUnseen = false
    private var timer: Registration?

    enum Output: Sendable {
        case element(PacedElement)
        /// The end, before which the timer is canceled: another thread may see the end at once (promise 8).
        case end(StreamSignal, Registration?)
    }

    typealias Outputs = RingBuffer<Output>

    /// - Parameter hold: Takes an element out of an event.
    init(_ pace: PacingRule, _ hold: @escaping @Sendable (StreamEvent) -> PacedElement) {
        self.pace = pace
        self.hold = hold
    }

    var startsNewTimer: Bool { pace.startsNewTimer }

    /// Starts the timer before the first element, if the rule needs one.
    mutating func begin(until deadline: Duration?) -> Action {
        guard pace.error != nil else { return Action() }
        self.deadline = deadline
        return start(leftOut: nil)
    }

    /// The steps to carry out outside the lock.
    struct Action {
        /// A timer to cancel.
        ///
        /// One that has fired is merely released.
        var old: Registration?
        /// The number of a timer to start.
        var start: Int?
        /// The deadline of the new timer, if it is earlier than after the full duration.
        var deadline: Duration?
        /// The dropped value, to be released outside the lock.
        var leftOut: PacedElement?
    }

    /// - Parameter deadline: The end of the pause after this value; nil if each value needs a separate timer.
    mutating func take(_ event: StreamEvent, until deadline: Duration?, _ outputs: inout Outputs) -> Action {
        switch event.signal {
        case .success:
            self.deadline = deadline
            // Before `hold`, which allocates.
            return dropsValues ? Action() : take(hold(event), &outputs)
        case .failure:
            flush(&outputs)
            outputs.append(.element(hold(event)))
            if pace.error != nil { return restart(until: deadline) }
            return startsNewTimer ? stop() : Action()
        case .finish:
            flush(&outputs)
            return end(.finish, &outputs)
        case .cancellation: return end(.cancellation, &outputs)
        }
    }

    private mutating func end(_ signal: StreamSignal, _ outputs: inout Outputs) -> Action {
        outputs.append(.end(signal, timer.take()))
        return stop()
    }

    private var dropsValues: Bool { isUnseen || isRunning && !startsNewTimer && !pace.keepsLatest }

    private mutating func take(_ value: @escaping PacedElement, _ outputs: inout Outputs) -> Action {
        if pace.error != nil {
            outputs.append(.element(value))
            return restart(until: deadline)
        }
        // With a deadline, the timer compares the time with the new one when it fires.
        if isRunning, !startsNewTimer || deadline != nil { return Action(leftOut: exchange(value)) }
        guard pace.emitsFirst else { return start(leftOut: exchange(value)) }
        outputs.append(.element(value))
        return start(leftOut: nil)
    }

    /// Restarts the timer, unless it has fired.
    private mutating func restart(until deadline: Duration?) -> Action {
        guard isRunning else { return Action() }
        self.deadline = deadline
        return deadline == nil ? start(leftOut: nil) : Action()
    }

    private mutating func exchange(_ value: PacedElement?) -> PacedElement? {
        defer { waiting = value }
        return waiting
    }

    private mutating func start(leftOut: PacedElement?) -> Action {
        number += 1
        isRunning = true
        return Action(old: timer.take(), start: number, leftOut: leftOut)
    }

    private mutating func stop() -> Action {
        number += 1
        isRunning = false
        return Action(old: timer.take(), leftOut: exchange(nil))
    }

    /// Stops the timer for good, because there are no subscribers for further values.
    mutating func abandon() -> Action {
        isUnseen = true
        return stop()
    }

    private mutating func flush(_ outputs: inout Outputs) {
        if let value = exchange(nil) { outputs.append(.element(value)) }
    }

    /// Stores a started timer.
    ///
    /// Returns false if it is no longer needed.
    mutating func keep(_ timer: Registration, _ number: Int) -> Bool {
        guard isRunning, number == self.number else { return false }
        self.timer = timer
        return true
    }

    /// Handles a timer that has fired.
    mutating func elapse(_ number: Int, at now: Duration, _ outputs: inout Outputs) -> Action {
        guard isRunning, number == self.number else { return Action() }
        if let deadline, deadline > now {
            var action = start(leftOut: nil)
            action.deadline = deadline
            return action
        }
        isRunning = false
        if let error = pace.error {
            outputs.append(.element { $0.emit(error: error) })
            return end(.finish, &outputs)
        }
        guard let value = exchange(nil) else { return Action(old: timer.take()) }
        outputs.append(.element(value))
        // With `throttle`, each emitted value starts a new interval.
        return pace.emitsFirst ? start(leftOut: nil) : Action(old: timer.take())
    }

    /// Handles a timer that the context has dropped: the waiting value would wait forever.
    ///
    /// A timeout has no such value.
    mutating func lose(_ number: Int, _ outputs: inout Outputs) -> Action {
        guard isRunning, number == self.number else { return Action() }
        if pace.error != nil { return stop() }
        flush(&outputs)
        outputs.append(.element { $0.emit(error: FuturesError.brokenPromise(createdAt: nil)) })
        return end(.finish, &outputs)
    }
}

/// Carries out the actions of `Pacing`.
final class Pacer: StreamWork {
    private let outlet: StreamOutlet<Pacing, Pacing.Output>
    private let duration: Duration
    private let context: any ExecutionContext
    /// Whether one timer serves consecutive values, because a timer costs more than reading the time.
    ///
    /// True on the library's own contexts. The timers of other contexts may use a different clock.
    private let comparesTimes: Bool

    init(
        _ pacing: consuming Pacing, _ duration: Duration, _ context: any ExecutionContext, to target: StreamCore
    ) {
        self.duration = duration
        comparesTimes = pacing.startsNewTimer && context._route.kind != .custom && duration > .zero
        self.context = context.forWaiting
        outlet = StreamOutlet(pacing, to: target) { output, target in
            switch output {
            case .element(let emit): emit(target)
            case .end(let signal, let timer):
                timer?.cancel()
                target.end(like: signal)
            }
        }
    }

    private var deadline: Duration? { comparesTimes ? context.now.addingClamped(duration) : nil }

    func begin() {
        let deadline = deadline
        carryOut(outlet.feed { pacing, _ in pacing.begin(until: deadline) })
    }

    func take(_ event: StreamEvent) {
        let deadline = deadline
        carryOut(outlet.feed { $0.take(event, until: deadline, &$1) })
    }

    func listenersHaveChanged() {}

    func stop() { carryOut(outlet.feed { pacing, _ in pacing.abandon() }) }

    func elapse(_ number: Int) {
        let now = comparesTimes ? context.now : .zero
        carryOut(outlet.feed { $0.elapse(number, at: now, &$1) })
    }

    func lose(_ number: Int) { carryOut(outlet.feed { $0.lose(number, &$1) }) }

    private func carryOut(_ action: Pacing.Action) {
        action.old?.cancel()
        guard let number = action.start else { return }
        let task = PacerTask(self, number)
        let delay = action.deadline.map { $0 - context.now } ?? duration
        let timer = context.execute(after: delay) { task.run() }
        if !outlet.feed({ pacing, _ in pacing.keep(timer, number) }) { timer.cancel() }
    }
}

/// The task of a timer.
///
/// Its release tells the pacer that the context has dropped it.
private final class PacerTask: @unchecked Sendable {
    // Sendable: it is constant. The reference is weak, because the pacer holds the context, which holds this object. It
    // is a variable, because compilers before 6.3 do not support weak constants.
    private weak var pacer: Pacer?
    private let number: Int

    init(_ pacer: Pacer, _ number: Int) {
        self.pacer = pacer
        self.number = number
    }

    func run() { Trampoline.callback { pacer?.elapse(number) } }

    // Has no effect after a timer that has fired or was canceled.
    deinit { Trampoline.together { pacer?.lose(number) } }
}
