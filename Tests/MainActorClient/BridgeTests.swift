import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Awaiting in a main-actor module", .watchdog)
struct AwaitTests {
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
}

@Suite("The bridge in a main-actor module", .watchdog)
struct BridgeTests {
    private let model = Model()
    private let closed = CancelToken()
    private let ada = Profile(id: 1, name: "Ada")

    @Test(arguments: Origin.allCases)
    func `callbacks reach a model's state, those of a stream in order`(origin: Origin) async {
        let (promise, failing, profiles) = (Promise<Profile>(), Promise<Profile>(), StreamPromise<Profile>(capacity: 0))
        model.load(promise.future, until: closed)
        origin.call { [ada] in promise.success(ada) }
        await until { model.log.count == 2 }
        model.load(failing.future, until: closed)
        origin.call { failing.failure(AppError.offline) }
        await until { model.log.count == 4 }
        #expect(model.log == ["Ada", "loaded", "offline", "loaded"])
        model.follow(profiles.stream, until: closed)
        origin.call { profiles.sendAll() }
        await until { model.log.count == 7 }
        #expect(model.log.suffix(3) == ["Ada", "Bob", "finished"])
    }

    @Test func `loops, linked tasks and closures that await reach it`() async throws {
        let promise = StreamPromise<Profile>(capacity: 10)
        let loop = Task { [model] in
            for await result in promise.stream.results {
                switch result {
                case .success(let profile): model.show(profile)
                case .failure(let error): model.fail(error)
                }
            }
        }
        closed.link(loop)
        promise.sendAll()
        await loop.value
        #expect(model.log == ["Ada", "offline", "Bob"])
        let names = promise.stream.asyncMap(cancelToken: closed) { [model] in await model.name(of: $0) }
        #expect(await names.texts() == ["Ada", "offline", "Bob"])
        for await (index, result) in [Future(value: ada), Future(error: AppError.unknown)].completions {
            model.note("\(index) \(result.isSuccess())")
        }
        #expect(Set(model.log.suffix(2)) == ["0 true", "1 false"])
        model.show(try await closed.run { [model, ada] in Profile(id: 2, name: await model.name(of: ada)) })
        #expect(model.title == "Ada")
    }

    @Test func `existing callers can still use futures and completion handlers`() async throws {
        #expect(try await model.futureName(of: ada).value == "Ada")
        for (profile, name) in [(ada, "Ada"), (Profile(id: 2, name: ""), nil)] {
            let found = Promise<String?>()
            model.find(profile) { text, error in
                MainActor.assertIsolated()
                #expect(error as? AppError == (name == nil ? .unknown : nil))
                found.success(text)
            }
            #expect(try await found.future.value == name)
        }
        let both = Promise<String>()
        model.findBoth(ada) { text, id, error in
            MainActor.assertIsolated()
            both.success("\(text ?? "") \(id ?? 0) \(error == nil)")
        }
        #expect(try await both.future.value == "Ada 1 true")
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
        let (counted, refreshed) = screen.shared()
        #expect((try? await counted.value(for: 1)) == 30)
        #expect((try? await refreshed.value()) == 31)
    }
}

extension Model {
    fileprivate func load(_ profile: Future<Profile>, until token: CancelToken) {
        profile.onSuccess(cancelToken: token, isolated: { self.show($0) })
        profile.onFailure(cancelToken: token, isolated: { [weak self] error in self?.fail(error) })
        profile.onComplete(cancelToken: token, isolated: { [weak self] _ in self?.note("loaded") })
    }

    fileprivate func follow(_ profiles: FutureStream<Profile>, until token: CancelToken) {
        profiles.onSuccess(cancelToken: token, isolated: { [weak self] profile in self?.show(profile) })
        profiles.onFinish(cancelToken: token, isolated: { [weak self] in self?.note("finished") })
    }

    fileprivate func name(of profile: Profile) async -> String {
        await Task.yield()
        return profile.name
    }

    fileprivate func futureName(of profile: Profile) -> Future<String> { Future { await self.name(of: profile) } }

    fileprivate func find(_ profile: Profile, completion: @escaping @MainActor (String?, (any Error)?) -> Void) {
        callback(completion) {
            guard !profile.name.isEmpty else { throw AppError.unknown }
            return await self.name(of: profile)
        }
    }

    fileprivate func findBoth(
        _ profile: Profile, completion: @escaping @MainActor (String?, Int?, (any Error)?) -> Void
    ) {
        callback(completion) { (await self.name(of: profile), profile.id) }
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

    func shared() -> (SharedWork<Int, Int>, SharedWork<WithoutKey, Int>) {
        let counted = SharedWork { (number: Int) in
            self.count += number
            return self.count
        }
        let refreshed = SharedWork { [weak self] in
            await self?.refresh()
            return self?.count ?? 0
        }
        return (counted, refreshed)
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
