import Testing

/// Runs a few tests at a time, and fails a test that does not end.
struct WatchdogTrait: TestTrait, SuiteTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await Turns.run {
            let (error, hang) = await Watchdog.watch(test.name, function)
            if let hang { Issue.record("\(hang)", sourceLocation: test.sourceLocation) }
            if let error { throw error }
        }
    }
}

extension Trait where Self == WatchdogTrait {
    /// Runs a few tests at a time, each on its own threads, and fails a test that does not end, with a list of live
    /// objects.
    static var watchdog: Self { Self() }
}
