import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Callbacks of a view model", .watchdog)
struct CallbackTests {
    private let model = ProfileModel()
    private let promise = Promise<Profile>()

    @Test(arguments: Place.ofMainActor, Origin.allCases)
    func `a value reaches the model on the main actor, in order`(place: Place, origin: Origin) async {
        model.load(promise.future, on: place.makeContext())
        origin.call { [promise] in promise.success(Profile(id: 1, name: "Ada")) }
        await until { !model.isLoading }
        #expect(model.title == "Ada")
        #expect(model.log == ["shown", "finished"])
    }

    @Test(arguments: Place.ofMainActor, Origin.allCases)
    func `so does an error`(place: Place, origin: Origin) async {
        model.load(promise.future, on: place.makeContext())
        origin.call { [promise] in promise.failure(AppError.offline) }
        await until { !model.isLoading }
        #expect(model.error == .offline)
        #expect(model.log == ["failed", "finished in vain"])
    }

    @Test(arguments: Place.ofMainActor, Origin.allCases)
    func `three closures in one callback run on the main actor`(place: Place, origin: Origin) async {
        model.loadAtOnce(promise.future, on: place.makeContext())
        origin.call { [promise] in promise.success(Profile(id: 1, name: "Ada")) }
        await until { !model.isLoading }
        #expect(model.log == ["shown", "finished"])
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `from any context a task leads to the main actor`(place: Place, origin: Origin) async {
        let context = place.makeContext()
        model.loadByTask(promise.future, on: context)
        origin.call { [promise] in promise.success(Profile(id: 1, name: "Ada")) }
        _ = await promise.future.map(context: context) { $0 }.end(on: context)
        await until { !model.isLoading }
        #expect(model.title == "Ada")
    }
}
