import SimpleFutures
import SimpleFuturesInterop
import Testing

@testable import TestSupport

@Suite("Promise 8: futures do not stop closures", .watchdog)
struct SaveTests {
    /// Possible uses of the future of a save that is no longer awaited.
    enum Use: CaseIterable {
        case resultIsIgnored, taskIsCanceled, raceIsLost, timeHasPassed
    }

    @Test(arguments: Use.allCases)
    func `a save marks its document clean even if its future is no longer awaited`(_ use: Use) async {
        let upload = Promise<Void>()
        let clock = ManualContext()
        let isClean = Box(false)
        func save() -> Future<Void> { upload.future.map(context: immediate) { isClean.value = true } }
        switch use {
        case .resultIsIgnored: _ = save()
        case .taskIsCanceled:
            let task = Task { try await save().value }
            await until { upload.future.observerCount == 1 }
            task.cancel()
            _ = await task.result
        case .raceIsLost: _ = await [save(), Future(value: ())].firstCompleted().outcome
        case .timeHasPassed:
            let late = save().timeout(.seconds(1), context: clock)
            clock.advance(by: .seconds(1))
            #expect(await late.outcome.error as? FuturesError == .timedOut)
        }
        upload.success()
        #expect(isClean.value)
    }
}
