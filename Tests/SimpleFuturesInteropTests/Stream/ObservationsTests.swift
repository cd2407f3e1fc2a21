import Observation
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
@MainActor @Observable private final class Counter {
    var count = 0
}

@MainActor @Suite("FutureStream(Observations)", .watchdog)
struct ObservationsTests {
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `observed values arrive as elements, the current value first`() async throws {
        // Without the token the observation would continue as long as the model exists, and it holds the model.
        let (counter, token) = (Counter(), CancelToken())
        defer { token.cancel() }
        let stream = FutureStream(Observations { counter.count }, capacity: 1, cancelToken: token)
        let seen = Log<Int>()
        stream.onSuccess(isolated: { seen.add($0) })
        await until { seen.all == [0] }
        counter.count = 1
        await until { seen.all == [0, 1] }
        counter.count = 2
        await until { seen.all == [0, 1, 2] }
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `it ends when the model is released`() async throws {
        var counter: Counter? = Counter()
        let observed = Observations.untilFinished { [weak counter] in
            counter.map { .next($0.count) } ?? .finish
        }
        let stream = FutureStream(observed, capacity: 0)
        let seen = Log<Int>()
        stream.onSuccess(isolated: { seen.add($0) })
        await until { seen.all == [0] }
        counter?.count = 1
        await until { seen.all == [0, 1] }
        counter?.count = 2
        counter = nil
        await until { stream.isFinished }
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `its token ends the observation`() async throws {
        let (counter, token) = (Counter(), CancelToken())
        let stream = FutureStream(Observations { counter.count }, capacity: 1, cancelToken: token)
        let seen = Log<Int>()
        stream.onSuccess(isolated: { seen.add($0) })
        await until { seen.count == 1 }
        token.cancel()
        #expect(stream.isCancelled)
        counter.count = 1
        #expect(seen.all == [0])
    }
}
