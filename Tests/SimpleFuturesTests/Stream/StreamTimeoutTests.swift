import SimpleFutures
import Testing
@testable import TestSupport

@Suite("FutureStream: timeout", .watchdog)
struct StreamTimeoutTests {
    private let clock = ManualContext()
    private let source = FutureStream<Int>()

    private func pass(_ tenths: Int) { clock.advance(by: .milliseconds(100 * tenths)) }

    @Test func `a stream whose next element takes too long fails, finishes and unsubscribes`() {
        let derived = source.timeout(.seconds(1), context: clock)
        pass(9)
        source.success(1)
        pass(9)
        source.failure(Oops.source)
        pass(9)
        #expect(derived.state == [1, .failure(Oops.source)])
        #expect(clock.timerCount == 1)
        pass(1)
        #expect(derived.state == [1, .failure(Oops.source), .failure(FuturesError.timedOut), .finish])
        #expect(clock.timerCount == 0)
        #expect(source.core.subscriberCount == 0)
        source.success(2)
        #expect(derived.count == 3)
    }

    @Test func `the timeout starts with the call`() throws {
        let derived = source.timeout(.seconds(1), context: clock)
        pass(10)
        let error = try #require(derived.futures.first?.result?.error as? FuturesError)
        guard case .timedOut(let duration, let site?) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(duration == .seconds(1))
        #expect(site.fileID.hasSuffix("StreamTimeoutTests.swift"))
        #expect("\(error)".contains("within 1.0 seconds of the call at \(site)"))
    }

    @Test(arguments: [true, false])
    func `on a queue the timeout is measured from the last element, a value or a failure`(isValue: Bool) async {
        let derived = source.timeout(.milliseconds(50), context: QueueContext.global)
        let end = Box<ContinuousClock.Instant?>(nil)
        derived.onFinish(context: immediate) { end.value = .now }
        var times: [ContinuousClock.Instant] = []
        repeat {
            times.append(.now)
            if isValue { source.success(1) } else { source.failure(Oops.source) }
        } while .now - times[0] < .milliseconds(60) && end.value == nil
        await until { end.value != nil }
        #expect(derived.state.suffix(2) == [.failure(FuturesError.timedOut), .finish])
        // A busy machine may delay an emission until after the timeout.
        let last = times[derived.count - 2]
        #expect(end.value.map { $0 - last >= .milliseconds(50) } == true)
    }

    @Test func `after its context is released there is no timeout, and elements are still passed on`() {
        let derived = source.timeout(.seconds(1), context: ManualContext())
        source.success(1)
        source.finish()
        #expect(derived.state == [1, .finish])
    }
}
