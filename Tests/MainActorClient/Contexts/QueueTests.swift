import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Queues in a main-actor module", .watchdog)
struct QueueTests {
    private let model = ProfileModel()

    @Test(arguments: [Queue.global, Queue("app.state")])
    func `a block that is waited for may use the main actor's state`(queue: Queue) {
        queue.sync { model.show(Profile(id: 1, name: "Ada")) }
        #expect(queue.sync { model.title } == "Ada")
        let made = queue.sync { Future<String> { complete in complete(.success(model.title)) } }
        #expect(made.result?.value == "Ada")
    }

    @Test func `blocks of the main queue are on the main actor`() async {
        Queue.main.async { [model] in
            MainActor.assumeIsolated { model.show(Profile(id: 1, name: "Ada")) }
        }
        Queue.main.delay(0.001) { [model] in MainActor.assumeIsolated { model.fail(AppError.offline) } }
        await until { model.log.count == 2 }
        #expect(Set(model.log) == ["shown", "failed"])
    }

    @Test func `tasks of the contexts that lead there, too`() async {
        for place in Place.ofMainActor {
            place.makeContext().execute { [model] in MainActor.assumeIsolated { model.fail(AppError.offline) } }
        }
        await until { model.log.count == Place.ofMainActor.count }
    }
}
