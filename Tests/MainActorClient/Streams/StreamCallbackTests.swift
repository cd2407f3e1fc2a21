import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Callbacks of a view model on a stream", .watchdog)
struct StreamCallbackTests {
    private let model = FeedModel()
    private let promise = StreamPromise<Profile>()

    @Test(arguments: Place.ofMainActor, Origin.allCases)
    func `values and errors reach the model on the main actor, in order`(place: Place, origin: Origin) async {
        model.follow(promise.stream, on: place.makeContext())
        origin.call { [promise] in promise.sendAll() }
        await until { model.hasEnded }
        #expect(model.log == ["Ada", "offline", "Bob", "finished"])
        #expect(model.title == "Bob")
    }

    @Test(arguments: Place.ofMainActor, Origin.allCases)
    func `one callback gets them all`(place: Place, origin: Origin) async {
        model.followResults(promise.stream, on: place.makeContext())
        origin.call { [promise] in promise.sendAll() }
        await until { model.hasEnded }
        #expect(model.log == ["Ada", "offline", "Bob", "finished"])
    }

    @Test(arguments: Place.ofMainActor, Origin.allCases)
    func `a model that comes late gets what was before, and what comes`(place: Place, origin: Origin) async {
        let early = StreamPromise<Profile>(capacity: 1)
        early.success(Profile(id: 0, name: "Zoe"))
        early.success(Profile(id: 0, name: "Eve"))
        model.follow(early.stream, on: place.makeContext())
        origin.call { early.sendAll() }
        await until { model.hasEnded }
        #expect(model.log == ["Eve", "Ada", "offline", "Bob", "finished"])
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `from any context tasks lead to the main actor`(place: Place, origin: Origin) async {
        let context = place.makeContext()
        model.followByTask(promise.stream, on: context)
        origin.call { [promise] in promise.sendAll() }
        await until {
            (context as? ManualContext)?.run()
            return model.log.count == 3
        }
        #expect(Set(model.log) == ["Ada", "offline", "Bob"])
    }

    @Test(arguments: Place.ofMainActor, Origin.allCases)
    func `each element reaches all callbacks of a queue before the next one does`(place: Place, origin: Origin) async {
        let context = place.makeContext()
        let (first, second) = (promise.stream, promise.stream)
        first.onComplete(context: context) { [model] _ in MainActor.assumeIsolated { model.end("first") } }
        second.onComplete(context: context) { [model] _ in MainActor.assumeIsolated { model.end("second") } }
        origin.call { [promise] in promise.sendAll() }
        await until { model.log.count == 6 }
        #expect(model.log == ["first", "second", "first", "second", "first", "second"])
    }
}
