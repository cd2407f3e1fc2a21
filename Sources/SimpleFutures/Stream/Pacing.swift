/// How the values that come in the time after one are treated.
enum PacingRule: Sendable {
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
struct Pacing<T: Sendable>: ~Copyable {
    private let pace: PacingRule

    private var waiting: T?
    /// When the pause will be over, if times are compared.
    private var deadline: Duration?
    /// Counts the timers, so that one that was canceled too late does nothing.
    private var number = 0
    private var isRunning = false
    /// Whether no subscriber will see another value.
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

    /// To be carried out outside of the lock.
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

    /// No subscriber will see another value: stops the timer, and starts no other one.
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

    /// The context has dropped a timer, and the value that waits for it would wait forever; a timeout has no such value.
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
final class Pacer<T: Sendable>: Sendable {
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

    func elapse(_ number: Int) {
        let now = comparesTimes ? context.now : .zero
        carryOut(outlet.feed { $0.elapse(number, at: now, &$1) })
    }

    func lose(_ number: Int) { carryOut(outlet.feed { $0.lose(number, &$1) }) }

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

    // After a timer that has elapsed or was canceled this does nothing.
    deinit { pacer?.lose(number) }
}
