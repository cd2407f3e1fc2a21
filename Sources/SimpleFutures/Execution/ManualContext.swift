/// A context for tests in which you decide when tasks run and how time passes.
///
///     let context = ManualContext()
///     let late = profile.timeout(.seconds(30), context: context)
///     context.advance(by: .seconds(30))
///     #expect(late.result?.error as? FuturesError == .timedOut)
///
/// Every `delay`, `timeout` and callback with this context waits for ``run()``, ``runNext()`` or
/// ``advance(by:fileID:line:)``, which run tasks on the calling thread. Tasks run in the order in which they were
/// added; timers in the order of their deadlines, and of their creation if those are equal. You can use the context
/// from several threads.
///
/// Waiting tasks and callbacks do not keep the context alive. When it is released, they are released too, and futures
/// that depend on them fail with ``FuturesError/brokenPromise(createdAt:)``.
public final class ManualContext: ExecutionContext {
    let waiting = ManualTasks()

    /// Creates a context at time zero without tasks.
    public init() {}

    deinit { waiting.close() }

    /// How many tasks wait to be run, including timers that are not due yet.
    public var pendingCount: Int { waiting.state.withLock { $0.pendingCount } }

    /// How many timers wait for ``advance(by:fileID:line:)``, also those with no delay.
    ///
    /// Once the operations under test have ended, none should be left.
    public var timerCount: Int { waiting.state.withLock { $0.timers.count } }

    /// The virtual time that has passed since the context was created.
    public var now: Duration { waiting.now }

    // Registrations hold only the tasks. If they held the context, a waiting callback would form a retain cycle with
    // it.
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    public var _route: _Route { .custom(waiting) }

    /// Adds a task.
    ///
    /// The next ``run()`` runs it.
    public func execute(_ task: @escaping @Sendable () -> Void) { waiting.execute(task) }

    /// Adds a task.
    ///
    /// The ``advance(by:fileID:line:)`` that reaches its time runs it.
    ///
    /// - Parameters:
    ///   - delay: The delay in the context's own time. Zero or less means none.
    ///   - task: The task to run.
    /// - Returns: A registration that cancels the task.
    @discardableResult
    public func execute(after delay: Duration, _ task: @escaping @Sendable () -> Void) -> Registration {
        waiting.execute(after: delay, task)
    }

    /// Runs the task that has waited longest.
    ///
    /// - Returns: False when there was none.
    @discardableResult
    public func runNext() -> Bool {
        guard let task = waiting.state.withLock({ $0.nextTask() }) else { return false }
        task()
        return true
    }

    /// Runs tasks until none is left, including those added while it runs.
    ///
    /// Time does not pass, and timers wait for ``advance(by:fileID:line:)``, also those with no delay.
    ///
    /// - Returns: The number of tasks that were run.
    @discardableResult
    public func run() -> Int {
        var count = 0
        while runNext() { count += 1 }
        return count
    }

    /// Advances the time: runs the waiting tasks, then each timer that becomes due, at its own time, with all tasks
    /// that it adds.
    ///
    /// - Parameters:
    ///   - duration: How far to advance. It must not be negative.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    public func advance(by duration: Duration, fileID: StaticString = #fileID, line: UInt = #line) {
        require(
            duration >= .zero,
            """
            `ManualContext.advance(by:)` was given \(duration); time does not run backwards. Pass `.zero` to run the tasks \
            that are due now.
            """, fileID, line)
        run()
        let end = waiting.state.withLock { $0.now.addingClamped(duration) }
        while waiting.state.withLock({ $0.moveToNextTimer(until: end) }) { run() }
    }
}

/// The tasks of a manual context.
///
/// Registrations refer to this object instead of the context.
final class ManualTasks: ExecutionContext {
    fileprivate let state = Lock(ManualContextState())

    var now: Duration { state.withLock { $0.now } }

    func execute(_ task: @escaping @Sendable () -> Void) {
        let reached = state.withLock { state in
            state.addTask(task)
            return state.takeReached()
        }
        for notify in reached { notify() }
    }

    func execute(after delay: Duration, _ task: @escaping @Sendable () -> Void) -> Registration {
        let (id, reached) = state.withLock { state in (state.addTimer(after: delay, task), state.takeReached()) }
        for notify in reached { notify() }
        guard let id else { return Registration() }
        return Registration { [weak self] in
            guard let self else { return false }
            // Returned out of the lock, because it releases the task's captures.
            return self.state.withLock { $0.timers.remove(id) } != nil
        }
    }

    /// Calls a closure once, as soon as enough tasks and timers wait.
    ///
    /// It is called outside the lock, on the thread that adds the last one. It is released uncalled if the context is
    /// released first.
    ///
    /// Returns a number for ``removeWatch(_:)``.
    func whenWaiting(tasks: Int, timers: Int, _ notify: @escaping @Sendable () -> Void) -> Int {
        let (number, reached) = state.withLock { state in
            state.lastWatch += 1
            state.watches.append((state.lastWatch, tasks, timers, notify))
            return (state.lastWatch, state.takeReached())
        }
        for notify in reached { notify() }
        return number
    }

    /// Removes and returns a closure of ``whenWaiting(tasks:timers:_:)`` that was not called.
    func removeWatch(_ number: Int) -> (@Sendable () -> Void)? {
        state.withLock { state in
            state.watches.firstIndex { $0.number == number }.map { state.watches.remove(at: $0) }
        }?.notify
    }

    /// Drops waiting and later tasks, because they can no longer be run.
    func close() {
        var closed = ManualContextState()
        closed.isClosed = true
        Trampoline.destroy(DroppedTasks(state.exchange(closed)))
    }
}

/// The tasks of a released context, one of which may hold the last reference to another context, and so on (promise 7).
private final class DroppedTasks: DeferredDestruction {
    private var state: ManualContextState?

    init(_ state: ManualContextState) { self.state = state }

    // All of them before the callbacks of the first one, which may wait for what the others fail or finish.
    func destroy() { Trampoline.together { state = nil } }
}

@available(*, unavailable)
extension DroppedTasks: Sendable {}

/// The tasks and the clock of a manual context.
private struct ManualContextState {
    /// Whether the context was released.
    var isClosed = false
    /// Entries before `firstTask` have been run.
    private var tasks: [(@Sendable () -> Void)?] = []
    private var firstTask = 0
    var timers = TimerQueue()
    private(set) var now = Duration.zero
    /// Closures to call when enough tasks and timers wait.
    var watches: [(number: Int, tasks: Int, timers: Int, notify: @Sendable () -> Void)] = []
    var lastWatch = 0

    var pendingCount: Int { tasks.count - firstTask + timers.count }

    /// The closures whose counts are reached, to be called when the lock is released.
    mutating func takeReached() -> [@Sendable () -> Void] {
        guard !watches.isEmpty else { return [] }
        let (pendingCount, timerCount) = (pendingCount, timers.count)
        var reached: [@Sendable () -> Void] = []
        watches.removeAll { watch in
            let isReached = watch.tasks <= pendingCount && watch.timers <= timerCount
            if isReached { reached.append(watch.notify) }
            return isReached
        }
        return reached
    }

    mutating func addTask(_ task: @escaping @Sendable () -> Void) {
        if !isClosed { tasks.append(task) }
    }

    mutating func nextTask() -> (@Sendable () -> Void)? {
        guard firstTask < tasks.count else { return nil }
        defer {
            firstTask += 1
            // Removes half of the array at a time, so that the cost per task does not depend on the length.
            if firstTask * 2 >= tasks.count {
                tasks.removeFirst(firstTask)
                firstTask = 0
            }
        }
        return tasks[firstTask].take()
    }

    mutating func addTimer(after delay: Duration, _ task: @escaping @Sendable () -> Void) -> TimerQueue.ID? {
        isClosed ? nil : timers.add(at: now.addingClamped(max(delay, .zero)), task)
    }

    /// Moves the clock to the next due timer and enqueues its task.
    ///
    /// Without a due timer, moves the clock to the end.
    mutating func moveToNextTimer(until end: Duration) -> Bool {
        guard let (deadline, task) = timers.popFirst(until: end) else {
            now = max(now, end)
            return false
        }
        now = max(now, deadline)
        addTask(task)
        return true
    }
}

extension Duration {
    /// The sum, or the longest duration there is.
    func addingClamped(_ other: Duration) -> Duration {
        let longest = Duration(secondsComponent: .max, attosecondsComponent: 0)
        return self >= longest - other ? longest : self + other
    }
}
