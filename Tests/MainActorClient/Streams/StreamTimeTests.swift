import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Streams and time in a main-actor module", .watchdog)
struct StreamTimeTests {
    private let promise = StreamPromise<Int>()

    @Test(arguments: Place.allCases, Origin.allCases)
    func `debounce and throttle, on every context`(place: Place, origin: Origin) async {
        let context = place.makeContext()
        let last = promise.stream.debounce(.milliseconds(1), context: context).take(1)
        let first = promise.stream.throttle(.seconds(100), latest: false, context: context).take(1)
        origin.call { [promise] in promise.success(1) }
        await until {
            (context as? ManualContext)?.advance(by: .milliseconds(1))
            return last.isFinished
        }
        #expect(await last.values() == [1])
        #expect(await first.values() == [1])
    }

    @Test func `by hand, without time passing`() {
        let (context, model) = (ManualContext(), FeedModel())
        promise.stream.debounce(.seconds(1), context: context).onSuccess(context: context) { number in
            MainActor.assumeIsolated { model.end("debounced \(number)") }
        }
        promise.stream.throttle(.seconds(2), context: context).onSuccess(context: context) { number in
            MainActor.assumeIsolated { model.end("throttled \(number)") }
        }
        for number in 1...3 { promise.success(number) }
        context.run()
        #expect(model.log == ["throttled 1"])
        context.advance(by: .seconds(1))
        #expect(model.log == ["throttled 1", "debounced 3"])
        context.advance(by: .seconds(1))
        #expect(model.log == ["throttled 1", "debounced 3", "throttled 3"])
    }
}
