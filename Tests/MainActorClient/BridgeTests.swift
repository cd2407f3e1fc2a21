import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Awaiting in a main-actor module", .watchdog)
struct AwaitTests {
    private let promise = Promise<Profile>()

    @Test(arguments: Origin.allCases)
    func `every kind of await returns on the main actor, with a value or an error`(origin: Origin) async throws {
        let awaits: [(Future<Profile>) async throws -> Profile] = [
            { try await $0.value },
            { try await $0.outcome.get() },
            { try await $0.value(cancelling: CancelToken()) },
            { try await $0.value(cancelling: CancelToken(), onCancel: .abandon) },
        ]
        for value in awaits {
            let (model, promise, failing) = (Model(), Promise<Profile>(), Promise<Profile>())
            origin.call { promise.success(Profile(id: 1, name: "Ada")) }
            model.show(try await value(promise.future))
            origin.call { failing.failure(AppError.offline) }
            do { model.show(try await value(failing.future)) } catch { model.fail(error) }
            #expect(model.log == ["Ada", "offline"])
        }
    }

    @Test(arguments: Origin.allCases)
    func `child tasks and functions that leave the main actor can await`(origin: Origin) async throws {
        let future = promise.future
        async let twice = future.value.id + future.value.id
        origin.call { [promise] in promise.success(Profile(id: 1, name: "Ada")) }
        #expect(try await twice == 2)
        let total = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<2 { group.addTask { try await future.value.id } }
            var total = 0
            for try await number in group { total += number }
            return total
        }
        #expect(total == 2)
        #expect(try await Task.detached { try await future.value.id }.value == 1)
        #expect(try await name(of: future) == "Ada")
        #expect(try await nameOffTheMainActor(of: future) == "Ada")
    }

    nonisolated private func name(of profile: Future<Profile>) async throws -> String { try await profile.value.name }
    @concurrent private func nameOffTheMainActor(of profile: Future<Profile>) async throws -> String {
        try await profile.value.name
    }
}

@Suite("A view model with the whole bridge", .watchdog)
struct BridgeTests {
    private let directory = Directory([Profile(id: 1, name: "Ada"), Profile(id: 2, name: "Bob")])
    private let model: SearchModel

    init() { model = SearchModel(directory: directory) }

    @Test func `callbacks reach the model's state, those of a stream in order and from any thread`() async {
        model.load(1)
        #expect(model.isSearching)
        await until { !model.isSearching }
        #expect(model.results.map(\.name) == ["Ada"])
        model.load(9)
        await until { !model.isSearching }
        #expect(model.message == "unknown")
        let keys = StreamPromise<Character>(capacity: 10)
        model.followKeystrokes(keys.stream)
        await Task.detached {
            for key in "hello" { keys.success(key) }
            keys.finish()
        }.value
        await until { model.message == "no more keys" }
        #expect(model.keystrokes == "hello")
    }

    @Test func `awaits reach it`() async throws {
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
        let promise = StreamPromise<Profile>(capacity: 10)
        model.follow(promise.stream)
        promise.sendAll()
        await until { model.results.count == 2 }
        #expect(model.message == "offline")
        let others = StreamPromise<Profile>(capacity: 10)
        model.followNames(others.stream)
        others.success(Profile(id: 2, name: "?"))
        await until { model.message == "Bob" }
    }

    @Test func `existing callers can still use futures and completion handlers`() async throws {
        #expect(try await model.search("A").value.map(\.id) == [1])
        for (text, name) in [("B", "Bob"), ("X", nil)] {
            let found = Promise<Profile?>()
            model.find(text) { profile, error in
                MainActor.assertIsolated()
                #expect(error as? AppError == (name == nil ? .unknown : nil))
                found.success(profile)
            }
            #expect(try await found.future.value?.name == name)
        }
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

    @Test func `closures without a parameter are isolated to the main actor too, and failures skip them`() async {
        let (screen, saved, taps) = (Screen(), Future<Void>(), FutureStream<Void>())
        let ends = screen.follow(saved, taps)
        for _ in 0..<2 { taps.success() }
        taps.finish()
        saved.success()
        for end in ends { #expect(await end.outcome.isSuccess()) }
        #expect(screen.count == 5 + 20 + 2)
        #expect(await screen.counts(taps).values() == [28, 29])
        #expect(await screen.later(taps).values() == [29, 29])
        for end in screen.follow(Future(error: AppError.offline), FutureStream()).prefix(5) {
            #expect(await end.outcome.error as? AppError == .offline)
        }
        #expect(screen.count == 29)
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
