import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Callbacks of a main-actor module inside callbacks", .watchdog)
struct ReentrancyTests {
    private let first = Promise<Int>()
    private let second = Promise<Int>()
    private let model = ProfileModel()

    @Test(arguments: Place.ofMainActor, Origin.allCases)
    func `what a callback elsewhere completes reaches the main actor`(place: Place, origin: Origin) async {
        show(second.future, on: place.makeContext())
        first.future.onSuccess(context: ImmediateContext()) { [second] in second.success($0 + 1) }
        origin.call { [first] in first.success(1) }
        await until { !model.title.isEmpty }
        #expect(model.title == "2")
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `what a callback registers on a context of the main actor runs there`(place: Place, origin: Origin) async {
        let context = place.makeContext()
        let registered = first.future.map(context: context) { [model] number in
            for context in [QueueContext.main, .mainImmediate] {
                Future(value: number).onSuccess(context: context) { number in
                    MainActor.assumeIsolated { model.show(Profile(id: number, name: "\(number)")) }
                }
            }
        }
        origin.call { [first] in first.success(1) }
        _ = await registered.end(on: context)
        await until { model.log.count == 2 }
        #expect(model.title == "1")
    }

    @Test(arguments: Place.ofMainActor, Origin.allCases)
    func `a callback of the main actor may complete, register and cancel`(place: Place, origin: Origin) async throws {
        let (context, token) = (place.makeContext(), CancelToken())
        token.onCancel { [model] in MainActor.assumeIsolated { model.fail(AppError.offline) } }
        let chained = first.future.flatMap(context: context) { [second, model] number in
            MainActor.assumeIsolated {
                second.success(number + 1)
                token.cancel()
                model.show(Profile(id: number, name: "first"))
                return second.future.map(context: context) { number in
                    MainActor.assumeIsolated { "\(model.title) \(number)" }
                }
            }
        }
        origin.call { [first] in first.success(1) }
        #expect(try await chained.value == "first 2")
        await until { model.error == .offline }
    }

    @Test(arguments: Origin.allCases)
    func `an await inside a task that a callback has begun`(origin: Origin) async throws {
        let both = Promise<Int>()
        first.future.onSuccess { [second] number in
            Task { both.success(try await second.future.value + number) }
        }
        origin.call { [first] in first.success(1) }
        origin.call { [second] in second.success(2) }
        #expect(try await both.future.value == 3)
    }

    // Blocks a thread of Dispatch's, where the main queue must go on.
    @Test(arguments: [QueueContext.main, .mainImmediate])
    func `a thread may wait for what the main actor does`(context: QueueContext) async throws {
        let waited = Promise<Int>()
        let doubled = first.future.map(context: context) { [model] number in
            MainActor.assumeIsolated {
                model.show(Profile(id: number, name: "\(number)"))
                return number * 2
            }
        }
        Queue("app.worker").async { waited.complete(Try { try doubled.wait() }) }
        first.success(1)
        #expect(try await waited.future.value == 2)
        #expect(model.title == "1")
    }

    private func show(_ number: Future<Int>, on context: any ExecutionContext) {
        number.onSuccess(context: context) { [model] number in
            MainActor.assumeIsolated { model.show(Profile(id: number, name: "\(number)")) }
        }
    }
}
