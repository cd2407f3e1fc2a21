import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

/// In the configuration with delays, the threads follow schedules: see `Tests/README.md`.
@Suite("Async steps of a chain whose source ends while they start", .watchdog)
struct AsyncStepRaceTests {
    @Test(arguments: [true, false])
    func `a step of a chain ends once, and its closure runs at most once`(isRecovery: Bool) throws {
        for _ in 0..<Stress.rounds(100) {
            let (token, calls, ends, alive) = (CancelToken(), Tally(), Log<Bool>(), Tally())
            let promise = Box<Promise<Captive>?>(Promise())
            let source = promise.value!.future
            together([
                {
                    let captive = Captive(alive)
                    @Sendable func run() -> Captive {
                        captive.touch()
                        calls.add()
                        return Captive(alive)
                    }
                    let step =
                        isRecovery
                        ? source.asyncRecover(cancelToken: token) { _ in run() }
                        : source.asyncMap(cancelToken: token) { _ in run() }
                    step.onComplete(context: immediate) { _ in ends.add(true) }
                    step.onCancel(context: immediate) { ends.add(false) }
                },
                { promise.value?.success(Captive(alive)) },
                { promise.value = nil },
                { token.cancel() },
            ])
            try verify(spin { ends.count > 0 } && calls.count <= 1, "an end, and at most one call")
            let kept = source.result?.value == nil ? 0 : 1
            try verify(spin { alive.count == kept }, "the closure and its value are released")
            try verify(spin { token.registrationCount == 0 && source.observerCount == 0 }, "no registration")
            try verify(ends.count == 1, "one end")
        }
    }
}
