extension ManualContext {
    /// Returns a future that is completed as soon as at least `count` tasks wait, as counted by ``pendingCount``.
    ///
    ///     let context = ManualContext()
    ///     async let page = Loader(context: context).load(url)    // a task of its own adds the work
    ///     try await context.pending().value
    ///     context.run()
    ///     show(try await page)
    ///
    /// Use it when other tasks or threads add work to the context while the test runs. Without it, a test could advance
    /// the context before the work is there, and then wait forever.
    ///
    /// - Parameters:
    ///   - count: The number of tasks to wait for.
    ///   - fileID: The file of the call, named by the error of a broken future.
    ///   - line: The line of the call.
    /// - Returns: A future that is completed on the thread that adds the last task, or at once if the tasks are there.
    ///   It is broken if the context is released before.
    public func pending(atLeast count: Int = 1, fileID: StaticString = #fileID, line: UInt = #line) -> Future<Void> {
        wait(tasks: count, timers: 0, Promise(fileID: fileID, line: line))
    }

    /// Returns a future that is completed as soon as at least `count` timers wait, as counted by ``timerCount``.
    ///
    /// Like ``pending(atLeast:fileID:line:)``, for code that begins with a delay or a timeout: such code adds timers
    /// first, and tasks only when the timers are due.
    ///
    /// - Parameters:
    ///   - count: The number of timers to wait for.
    ///   - fileID: The file of the call, named by the error of a broken future.
    ///   - line: The line of the call.
    /// - Returns: A future that is completed on the thread that adds the last timer, or at once if the timers are
    ///   there. It is broken if the context is released before.
    public func timers(atLeast count: Int = 1, fileID: StaticString = #fileID, line: UInt = #line) -> Future<Void> {
        wait(tasks: 0, timers: count, Promise(fileID: fileID, line: line))
    }

    private func wait(tasks: Int, timers: Int, _ reached: Promise<Void>) -> Future<Void> {
        // Without holders and waiters it leaves, so that a wait that was given up costs the context nothing.
        let future = Future<Void>()
        let lifeline = Lifeline(of: future)
        let observer = LifelineObserver(lifeline) { source, target in forward(source, to: target, as: Void.self) }
        reached.future.observe(observer, under: .none)
        let number = waiting.whenWaiting(tasks: tasks, timers: timers) { reached.success() }
        // Completes the promise although nothing waits: releasing it pending would report a programmer error.
        lifeline.atEnd { [weak waiting] in waiting?.removeWatch(number)?() }
        return future
    }
}
