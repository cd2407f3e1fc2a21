/// A context for tests: tasks run when you say so, and time passes when you say so.
///
///     let context = ManualContext()
///     let late = request.timeout(.seconds(30), context: context)
///     context.advance(by: .seconds(30))
///     #expect(late.result?.error as? FuturesError == .timedOut)
///
/// Every `delay`, `timeout` and callback that is given this context waits for ``run()``, ``runNext()`` or
/// ``advance(by:fileID:line:)``, which run tasks on the calling thread. Tasks run in the order in which they came;
/// timers in the order of their deadlines, and of their creation if those are equal. It may be used from several
/// threads, but runs what it runs on the thread that asks.
///
/// Tasks and callbacks that wait do not keep the context: when it is released, they are too, and what depends on them
/// is broken.
public final class ManualContext: ExecutionContext {
    private let waiting = ManualTasks()

    /// Creates a context with nothing to do, at time zero.
    public init() {}

    deinit { waiting.close() }

    /// How many tasks wait to be run, those included whose time has not come.
    public var pendingCount: Int { waiting.state.withLock { $0.pendingCount } }

    /// How many timers wait for their time.
    ///
    /// None should be left when what they were for has ended.
    public var timerCount: Int { waiting.state.withLock { $0.timers.count } }

    /// The virtual time that has passed since the context was created.
    public var now: Duration { waiting.now }

    // What is registered holds the tasks alone: a callback that waits would otherwise keep the context that keeps it.
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    public var _route: _Route { .custom(waiting) }

    /// Returns a future that is completed as soon as so many tasks wait, ``pendingCount``.
    ///
    ///     let context = ManualContext()
    ///     async let page = Loader(context: context).load(url)        // tries again after a second
    ///     try await context.pending().value
    ///     context.advance(by: .seconds(1))
    ///
    /// For a test beside which something else is at work, a task or another thread, that has given the context
    /// something to do or not when the test gets on. A test that went on too early would wait forever; this says when.
    ///
    /// - Parameters:
    ///   - count: How many there are to be at least.
    ///   - fileID: The place that a broken future names: that of the call.
    ///   - line: The line in that file.
    /// - Returns: A future completed on the thread that adds the last of them; at once if they are there. It is broken
    ///   if the context is released before.
    public func pending(atLeast count: Int = 1, fileID: StaticString = #fileID, line: UInt = #line) -> Future<Void> {
        waiting.watch(pendingCount: count, timerCount: 0, Promise(fileID: fileID, line: line))
    }

    /// Returns a future that is completed as soon as so many timers wait, ``timerCount``: time may pass now.
    ///
    /// As ``pending(atLeast:fileID:line:)``, for code that begins with a delay or a timeout: those make timers, and
    /// tasks only when their time has come.
    ///
    /// - Parameters:
    ///   - count: How many there are to be at least.
    ///   - fileID: The place that a broken future names: that of the call.
    ///   - line: The line in that file.
    /// - Returns: A future completed on the thread that adds the last of them; at once if they are there. It is broken
    ///   if the context is released before.
    public func timers(atLeast count: Int = 1, fileID: StaticString = #fileID, line: UInt = #line) -> Future<Void> {
        waiting.watch(pendingCount: 0, timerCount: count, Promise(fileID: fileID, line: line))
    }

    /// Adds a task, to be run by the next ``run()``.
    public func execute(_ task: @escaping @Sendable () -> Void) { waiting.execute(task) }

    /// Adds a task, to be run by the ``advance(by:fileID:line:)`` that reaches its time.
    ///
    /// - Parameters:
    ///   - delay: How much of the context's own time is to pass. Zero or less means none.
    ///   - task: What to run.
    /// - Returns: Calls the task off.
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

    /// Runs tasks until none is left, those included that are added meanwhile.
    ///
    /// Time stands still.
    ///
    /// - Returns: How many have run.
    @discardableResult
    public func run() -> Int {
        var count = 0
        while runNext() { count += 1 }
        return count
    }

    /// Lets time pass: runs what is there, then timer after timer whose time comes, each at its own time and with
    /// everything that it adds.
    ///
    /// - Parameters:
    ///   - duration: How much time passes. It must not be negative.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
    public func advance(by duration: Duration, fileID: StaticString = #fileID, line: UInt = #line) {
        require(
            duration >= .zero,
            """
            `ManualContext.advance(by:)` was given \(duration); time does not run backwards. Pass `.zero` to run what is \
            due now.
            """, fileID, line)
        run()
        let end = waiting.state.withLock { $0.now.addingClamped(duration) }
        while waiting.state.withLock({ $0.moveToNextTimer(until: end) }) { run() }
    }
}

/// What a manual context has to do: the context as those see it who have registered something.
final class ManualTasks: ExecutionContext {
    fileprivate let state = Lock(ManualContextState())

    var now: Duration { state.withLock { $0.now } }

    func execute(_ task: @escaping @Sendable () -> Void) {
        let reached = state.withLock { state in
            state.addTask(task)
            return state.takeReached()
        }
        for promise in reached { promise.success() }
    }

    func execute(after delay: Duration, _ task: @escaping @Sendable () -> Void) -> Registration {
        let (id, reached) = state.withLock { state in (state.addTimer(after: delay, task), state.takeReached()) }
        for promise in reached { promise.success() }
        guard let id else { return Registration() }
        return Registration { [weak self] in
            guard let self else { return false }
            // Returned out of the lock, since it releases what the task has captured.
            return self.state.withLock { $0.timers.remove(id) } != nil
        }
    }

    /// The future of a promise, which is completed once so much waits.
    fileprivate func watch(pendingCount: Int, timerCount: Int, _ promise: Promise<Void>) -> Future<Void> {
        let future = promise.future
        let reached = state.withLock { state in
            state.watches.append((pendingCount, timerCount, promise))
            return state.takeReached()
        }
        for promise in reached { promise.success() }
        return future
    }

    /// Drops what waits, and what comes later: nobody can run it any more.
    func close() {
        var closed = ManualContextState()
        closed.isClosed = true
        _ = state.exchange(closed)
    }
}

/// The tasks and the clock of a manual context.
private struct ManualContextState {
    /// Whether the context is gone.
    var isClosed = false
    /// Those before `firstTask` have been run.
    private var tasks: [(@Sendable () -> Void)?] = []
    private var firstTask = 0
    var timers = TimerQueue()
    private(set) var now = Duration.zero
    /// Who is to be told when so much waits.
    var watches: [(pendingCount: Int, timerCount: Int, promise: Promise<Void>)] = []

    var pendingCount: Int { tasks.count - firstTask + timers.count }

    /// The promises whose counts are reached, to be completed when the lock is released.
    mutating func takeReached() -> [Promise<Void>] {
        guard !watches.isEmpty else { return [] }
        let (pendingCount, timerCount) = (pendingCount, timers.count)
        var reached: [Promise<Void>] = []
        watches.removeAll { watch in
            let isReached = watch.pendingCount <= pendingCount && watch.timerCount <= timerCount
            if isReached { reached.append(watch.promise) }
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
            // Half of the array at a time, so that a task costs the same however many there are.
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

    /// Moves the clock to the next timer that is due, and its task to the others; else to the end.
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
    fileprivate func addingClamped(_ other: Duration) -> Duration {
        let longest = Duration(secondsComponent: .max, attosecondsComponent: 0)
        return self >= longest - other ? longest : self + other
    }
}
