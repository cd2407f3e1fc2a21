import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("A view model with the whole bridge", .watchdog)
struct SearchModelTests {
    private let directory = Directory([Profile(id: 1, name: "Ada"), Profile(id: 2, name: "Bob")])

    @Test func `callbacks reach the model's state`() async {
        let model = SearchModel(directory: directory)
        model.load(1)
        #expect(model.isSearching)
        await until { !model.isSearching }
        #expect(model.results.map(\.name) == ["Ada"])
        model.load(9)
        await until { !model.isSearching }
        #expect(model.message == "unknown")
    }

    @Test func `callbacks of a stream reach it in order, from any thread`() async {
        let model = SearchModel(directory: directory)
        let keys = StreamPromise<Character>(capacity: 10)
        model.followKeystrokes(keys.stream)
        await Task.detached {
            for key in "hello" { keys.success(key) }
            keys.finish()
        }.value
        await until { model.message == "no more keys" }
        #expect(model.keystrokes == 5)
    }

    @Test func `awaits reach it`() async throws {
        let model = SearchModel(directory: directory)
        await model.reload(2)
        #expect(model.results.map(\.name) == ["Bob"])
        await model.reload(9)
        #expect(model.message == "unknown")
        await model.reloadAll([1, 7, 2])
        #expect(model.results.map(\.id).sorted() == [1, 2, 2])
        #expect(model.message == "7 is missing")
        try await model.reloadUntilClosed(1)
        #expect(model.results.map(\.name) == ["Ada"])
    }

    @Test func `loops reach it`() async {
        let model = SearchModel(directory: directory)
        let promise = StreamPromise<Profile>(capacity: 10)
        model.follow(promise.stream)
        promise.sendAll()
        await until { model.results.count == 2 }
        #expect(model.message == "offline")
        let named = SearchModel(directory: directory)
        let others = StreamPromise<Profile>(capacity: 10)
        named.followNames(others.stream)
        others.success(Profile(id: 2, name: "?"))
        await until { named.message == "Bob" }
    }

    @Test func `old callers get futures and completion blocks`() async throws {
        let model = SearchModel(directory: directory)
        #expect(try await model.search("A").value.map(\.id) == [1])
        let found = Promise<Profile?>()
        model.find("B") { profile, _ in
            MainActor.assertIsolated()
            found.success(profile)
        }
        #expect(try await found.future.value?.name == "Bob")
        let missed = Promise<Profile?>()
        model.find("X") { profile, error in
            #expect(error as? AppError == .unknown)
            missed.success(profile)
        }
        #expect(try await missed.future.value == nil)
    }

    @Test func `when the model goes, everything is cancelled that it has begun`() async {
        let profiles = StreamPromise<Profile>(capacity: 0)
        let keys = StreamPromise<Character>(capacity: 0)
        weak var gone: SearchModel?
        do {
            let model = SearchModel(directory: directory)
            gone = model
            model.follow(profiles.stream)
            model.followNames(profiles.stream)
            model.followKeystrokes(keys.stream)
            await until { profiles.stream.core.subscriberCount == 2 && keys.stream.core.subscriberCount == 2 }
        }
        await until { gone == nil }
        await until { profiles.stream.core.subscriberCount == 0 && keys.stream.core.subscriberCount == 0 }
    }
}
