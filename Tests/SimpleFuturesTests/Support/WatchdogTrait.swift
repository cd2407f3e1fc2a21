import Testing
import Watchdog

/// A test that does not end has failed, and says what was alive: something that it waits for has not come.
nonisolated struct WatchdogTrait: TestTrait, SuiteTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let (error, hang) = await Watchdog.watch(test.name, function)
        if let hang { Issue.record("\(hang)", sourceLocation: test.sourceLocation) }
        if let error { throw error }
    }
}

nonisolated extension Trait where Self == WatchdogTrait {
    /// Fails a test that does not end, and says what was alive.
    static var watchdog: Self { Self() }
}
