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

    @Test func `on a queue the timeout is measured from the last element`() async {
        let derived = source.timeout(.milliseconds(50), context: QueueContext.global)
        let start = ContinuousClock.now
        for value in 0..<100 { source.success(value) }
        await until { derived.isFinished }
        #expect(ContinuousClock.now - start >= .milliseconds(50))
        #expect(derived.count == 101)
        #expect(derived.state.suffix(2) == [.failure(FuturesError.timedOut), .finish])
    }

    @Test func `after its context is released there is no timeout, and elements are still passed on`() {
        let derived = source.timeout(.seconds(1), context: ManualContext())
        source.success(1)
        source.finish()
        #expect(derived.state == [1, .finish])
    }
}
