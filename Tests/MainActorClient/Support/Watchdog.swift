import Testing

extension Trait where Self == TimeLimitTrait {
    /// A test that runs into it has failed: something that it waits for has not come.
    ///
    /// Long, since other tests block the threads of the pool for minutes under the thread sanitizer.
    nonisolated static var watchdog: Self { .timeLimit(.minutes(10)) }
}
