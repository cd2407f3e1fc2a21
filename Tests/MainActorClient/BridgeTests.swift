import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("A view model with the whole bridge", .watchdog)
struct BridgeTests {
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

    @Test func `existing callers can still use futures and completion handlers`() async throws {
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

    @Test func `a released model cancels all its work`() async {
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

    @Test func `closures without a parameter are isolated to the main actor too`() async {
        let screen = Screen()
        let saved = Future<Void>()
        let taps = FutureStream<Void>()
        let ends = screen.follow(saved, taps)
        taps.success()
        taps.success()
        taps.finish()
        saved.success()
        for end in ends { #expect(await end.outcome.isSuccess()) }
        #expect(screen.count == 5 + 20 + 2)
        #expect(await screen.counts(taps).values() == [28, 29])
        #expect(await screen.later(taps).values() == [29, 29])
    }

    @Test func `failures skip closures without a parameter`() async {
        let failed = Future<Void>(error: AppError.offline)
        #expect(await failed.asyncMap { Issue.record("runs") }.outcome.error as? AppError == .offline)
        #expect(await failed.asyncForEach { _ = Issue.record("runs") }.outcome.error as? AppError == .offline)
    }
}

/// A class whose futures and streams have no values.
private final class Screen {
    var count = 0
    func refresh() async { count += 1 }

    func follow(_ saved: Future<Void>, _ taps: FutureStream<Void>) -> [Future<Void>] {
        [
            saved.asyncMap { self.count += 1 },
            saved.asyncMap { await self.refresh() },
            saved.asyncFlatMap { Future { await self.refresh() } },
            saved.asyncForEach { self.count += 1 },
            saved.asyncForEach { _ in self.count += 1 },
            taps.asyncForEach { self.count += 10 },
            taps.asyncForEach { _ in await self.refresh() },
        ]
    }

    func counts(_ taps: FutureStream<Void>) -> FutureStream<Int> {
        taps.asyncMap {
            self.count += 1
            return self.count
        }
    }

    func later(_ taps: FutureStream<Void>) -> FutureStream<Int> {
        taps.asyncFlatMap { Future { self.count } }
    }
}
