import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Streams of a main-actor module inside callbacks", .watchdog)
struct StreamReentrancyTests {
    private let promise = StreamPromise<Int>()
    private let model = FeedModel()

    @Test(arguments: Place.ofMainActor, Origin.allCases)
    func `what a callback emits comes after what is under way`(place: Place, origin: Origin) async {
        let context = place.makeContext()
        promise.stream.onSuccess(context: context) { [model, promise] number in
            MainActor.assumeIsolated {
                model.end("\(number)")
                if number < 3 { promise.success(number + 1) } else { promise.finish() }
            }
        }
        origin.call { [promise] in promise.success(1) }
        _ = await promise.stream.elements()
        await until { model.log.count == 3 }
        #expect(model.log == ["1", "2", "3"])
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `what a callback elsewhere emits reaches the main actor`(place: Place, origin: Origin) async {
        let (context, profiles) = (place.makeContext(), StreamPromise<Profile>())
        model.follow(profiles.stream, on: QueueContext.main)
        promise.stream.onSuccess(context: context) { profiles.success(Profile(id: $0, name: "\($0)")) }
        promise.stream.onFinish(context: context) { profiles.finish() }
        origin.call { [promise] in
            promise.success(1)
            promise.success(2)
            promise.finish()
        }
        await until {
            (context as? ManualContext)?.run()
            return model.hasEnded
        }
        #expect(model.log == ["1", "2", "finished"])
    }

    @Test(arguments: Place.ofMainActor, Origin.allCases)
    func `a callback may subscribe, cancel and finish`(place: Place, origin: Origin) async {
        let (context, token) = (place.makeContext(), CancelToken())
        promise.stream.onSuccess(context: context, cancelToken: token) { [model, promise] number in
            MainActor.assumeIsolated {
                model.end("first \(number)")
                promise.stream.cancel(token)
                promise.stream.onSuccess(context: context) { number in
                    MainActor.assumeIsolated {
                        model.end("second \(number)")
                        promise.finish()
                    }
                }
            }
        }
        origin.call { [promise] in promise.success(1) }
        _ = await promise.stream.elements()
        await until { model.log.count == 2 }
        #expect(model.log == ["first 1", "second 1"])
    }
}
