import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

// The closures of callbacks are not isolated to an actor. On contexts that use the main queue, `assumeIsolated` is
// right; on others the tests start a task.
@Suite("Callbacks of a view model on the main actor", .watchdog)
struct CallbackTests {
    private let model = Model()
    private let promise = Promise<Profile>()
    private let numbers = StreamPromise<Int>()
    private let ada = Profile(id: 1, name: "Ada")

    @Test(arguments: ContextKind.ofMainActor, Origin.allCases)
    func `the result of a future reaches the model, in order`(kind: ContextKind, origin: Origin) async {
        let (context, failing) = (kind.makeContext(), Promise<Profile>())
        model.load(promise.future, on: context)
        origin.call { [promise, ada] in promise.success(ada) }
        await until { model.log.count == 2 }
        model.load(failing.future, on: context)
        origin.call { failing.failure(AppError.offline) }
        await until { model.log.count == 4 }
        #expect(model.log == ["Ada", "finished", "offline", "finished in vain"])
    }

    @Test(arguments: ContextKind.ofMainActor, Origin.allCases)
    func `three closures in one callback run on the main actor`(kind: ContextKind, origin: Origin) async {
        promise.future.on(
            context: kind.makeContext(),
            success: { [model] profile in MainActor.assumeIsolated { model.show(profile) } },
            failure: { [model] error in MainActor.assumeIsolated { model.fail(error) } },
            completion: { [model] _ in MainActor.assumeIsolated { model.note("finished") } })
        origin.call { [promise, ada] in promise.success(ada) }
        await until { model.log.count == 2 }
        #expect(model.log == ["Ada", "finished"])
    }

    @Test(arguments: ContextKind.ofMainActor, Origin.allCases)
    func `the elements of a stream reach the model, in order`(kind: ContextKind, origin: Origin) async {
        let (context, stream, other) = (kind.makeContext(), StreamPromise<Profile>(), Model())
        model.follow(stream.stream, on: context)
        stream.stream.onComplete(context: context) { result in
            MainActor.assumeIsolated { other.note(result.isSuccess() ? "shown" : "failed") }
        }
        origin.call { stream.sendAll() }
        await until { model.log.count == 4 && other.log.count == 3 }
        #expect(model.log == ["Ada", "offline", "Bob", "finished"])
        #expect(other.log == ["shown", "failed", "shown"])
    }

    @Test(arguments: ContextKind.allCases, Origin.allCases)
    func `a callback on any context can start a task on the main actor`(kind: ContextKind, origin: Origin) async {
        let context = kind.makeContext()
        promise.future.onComplete(context: context) { [model] result in
            Task { @MainActor in model.note(result.isSuccess() ? "future" : "failed") }
        }
        numbers.stream.onSuccess(context: context) { [model] _ in Task { @MainActor in model.note("stream") } }
        origin.call { [promise, numbers, ada] in
            promise.success(ada)
            numbers.success(1)
        }
        await until {
            (context as? ManualContext)?.run()
            return model.log.count == 2
        }
        #expect(Set(model.log) == ["future", "stream"])
    }

    // MARK: Inside callbacks

    @Test(arguments: ContextKind.allCases, Origin.allCases)
    func `a callback on another thread completes futures and registers callbacks of the main actor`(
        kind: ContextKind, origin: Origin
    ) async {
        let (context, second, stream) = (kind.makeContext(), Promise<Profile>(), StreamPromise<Profile>())
        model.load(second.future, on: QueueContext.mainImmediate)
        let registered = promise.future.map(context: context) { [model] profile in
            second.success(profile)
            model.follow(stream.stream, on: QueueContext.main)
            stream.sendAll()
        }
        origin.call { [promise, ada] in promise.success(ada) }
        _ = await registered.end(on: context)
        await until { model.log.count == 6 }
        #expect(model.log.sorted() == ["Ada", "Ada", "Bob", "finished", "finished", "offline"])
    }

    @Test(arguments: ContextKind.ofMainActor, Origin.allCases)
    func `a callback on the main actor can complete, register and cancel`(
        kind: ContextKind, origin: Origin
    ) async throws {
        let (context, token, second) = (kind.makeContext(), CancelToken(), Promise<Int>())
        token.onCancel { [model] in MainActor.assumeIsolated { model.fail(AppError.offline) } }
        let chained = promise.future.flatMap(context: context) { [model] profile in
            MainActor.assumeIsolated {
                second.success(profile.id + 1)
                token.cancel()
                model.show(profile)
                return second.future.map(context: context) { number in
                    MainActor.assumeIsolated { "\(model.title) \(number)" }
                }
            }
        }
        origin.call { [promise, ada] in promise.success(ada) }
        #expect(try await chained.value == "Ada 2")
        await until { model.error == .offline }
    }

    @Test(arguments: ContextKind.ofMainActor, Origin.allCases)
    func `a stream's callback on the main actor can emit, subscribe, cancel and finish`(
        kind: ContextKind, origin: Origin
    ) async {
        let (context, token) = (kind.makeContext(), CancelToken())
        numbers.stream.onSuccess(context: context, cancelToken: token) { [model, numbers] number in
            MainActor.assumeIsolated {
                model.note("first \(number)")
                if number == 1 { return numbers.success(2) }
                numbers.stream.cancel(token)
                numbers.stream.onSuccess(context: context) { number in
                    MainActor.assumeIsolated {
                        model.note("second \(number)")
                        if number == 2 { numbers.finish() }
                    }
                }
            }
        }
        origin.call { [numbers] in numbers.success(1) }
        await until { model.log.count == 4 }
        #expect(model.log == ["first 1", "first 2", "second 1", "second 2"])
    }

    // Blocks a Dispatch thread, while the main queue must continue.
    @Test(arguments: [QueueContext.main, .mainImmediate])
    func `a thread can wait for the main actor's work`(context: QueueContext) async throws {
        let waited = Promise<String>()
        let shown = promise.future.map(context: context) { [model] profile in
            MainActor.assumeIsolated {
                model.show(profile)
                return model.title
            }
        }
        Queue("app.worker").async { waited.complete(Try { try shown.wait() }) }
        promise.success(ada)
        #expect(try await waited.future.value == "Ada")
    }

    @Test func `released objects are not called`() async throws {
        var document: Document? = Document(title: "Notes")
        weak let weakDocument = document
        let isGone = promise.future.map(context: QueueContext.global) { [weak document] _ in document == nil }
        document = nil
        #expect(weakDocument == nil)
        promise.success(ada)
        #expect(try await isGone.value)
    }
}

extension Model {
    nonisolated fileprivate func load(_ profile: Future<Profile>, on context: any ExecutionContext) {
        profile.onSuccess(context: context) { profile in MainActor.assumeIsolated { self.show(profile) } }
        profile.onFailure(context: context) { [weak self] error in MainActor.assumeIsolated { self?.fail(error) } }
        profile.onComplete(context: context) { result in
            MainActor.assumeIsolated { self.note(result.isSuccess() ? "finished" : "finished in vain") }
        }
    }

    nonisolated fileprivate func follow(_ profiles: FutureStream<Profile>, on context: any ExecutionContext) {
        profiles.onSuccess(context: context) { profile in MainActor.assumeIsolated { self.show(profile) } }
        profiles.onFailure(context: context) { [weak self] error in MainActor.assumeIsolated { self?.fail(error) } }
        profiles.onFinish(context: context) { MainActor.assumeIsolated { self.note("finished") } }
    }
}
