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
        let (context, failing, other) = (kind.makeContext(), Promise<Profile>(), Model())
        model.load(promise.future, on: context)
        promise.future.on(
            context: context,
            success: { profile in MainActor.assumeIsolated { other.show(profile) } },
            failure: { error in MainActor.assumeIsolated { other.fail(error) } },
            completion: { _ in MainActor.assumeIsolated { other.note("finished") } })
        origin.call { [promise, ada] in promise.success(ada) }
        await until { model.log.count == 2 && other.log.count == 2 }
        model.load(failing.future, on: context)
        origin.call { failing.failure(AppError.offline) }
        await until { model.log.count == 4 }
        #expect(model.log == ["Ada", "finished", "offline", "finished in vain"])
        #expect(other.log == ["Ada", "finished"])
    }

    @Test(arguments: ContextKind.ofMainActor, Origin.allCases)
    func `the elements of a stream reach the model, in order`(kind: ContextKind, origin: Origin) async {
        let (context, stream) = (kind.makeContext(), StreamPromise<Profile>())
        let (profiles, model) = (stream.stream, model)
        profiles.onSuccess(context: context) { profile in MainActor.assumeIsolated { model.show(profile) } }
        profiles.onFailure(context: context) { error in MainActor.assumeIsolated { model.fail(error) } }
        profiles.onFinish(context: context) { MainActor.assumeIsolated { model.note("finished") } }
        origin.call { stream.sendAll() }
        await until { model.log.count == 4 }
        #expect(model.log == ["Ada", "offline", "Bob", "finished"])
    }

    @Test(arguments: ContextKind.allCases, Origin.allCases)
    func `a callback on any context can start a task on the main actor`(kind: ContextKind, origin: Origin) async {
        let context = kind.makeContext()
        promise.future.onComplete(context: context) { [model] result in
            Task { @MainActor in model.note(result.isSuccess() ? "future" : "failed") }
        }
        numbers.stream.onComplete(context: context) { [model] _ in Task { @MainActor in model.note("stream") } }
        origin.call { [promise, numbers, ada] in
            promise.tryComplete(.success(ada))
            numbers.complete(.success(1))
        }
        await until { model.log.count == 2 }
        #expect(Set(model.log) == ["future", "stream"])
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
}

@Suite("Tokens of a main-actor module", .watchdog)
struct TokenTests {
    private let promise = Promise<Profile>()
    private let stream = StreamPromise<Profile>()
    private let token = CancelToken()
    private let model = Model()

    @Test(arguments: ContextKind.ofMainActor, Origin.allCases)
    func `a token canceled on any thread unsubscribes a model's callbacks`(kind: ContextKind, origin: Origin) async {
        let (context, model) = (kind.makeContext(), model)
        let derived = promise.future.map(context: context, cancelToken: token) { $0 }
        let elements = stream.stream.map(context: context, cancelToken: token) { $0 }
        derived.onSuccess(context: context) { profile in MainActor.assumeIsolated { model.show(profile) } }
        derived.onCancel(context: context) { MainActor.assumeIsolated { model.note("cancelled") } }
        elements.onSuccess(context: context) { profile in MainActor.assumeIsolated { model.show(profile) } }
        elements.onCancel(context: context) { MainActor.assumeIsolated { model.note("cancelled") } }
        stream.stream.onSuccess(context: context, cancelToken: token) { profile in
            MainActor.assumeIsolated { model.show(profile) }
        }
        origin.call { [token, promise, stream] in
            token.cancel()
            promise.success(Profile(id: 1, name: "Ada"))
            stream.sendAll()
        }
        // The future is completed when the token has unsubscribed everything.
        await until { promise.future.completed && model.log.count == 2 }
        await onMain {}
        #expect(model.log == ["cancelled", "cancelled"])
        #expect(!promise.future.cancel(token) && !stream.stream.cancel(token))
    }

    @Test(arguments: Origin.allCases)
    func `handlers reach the main actor in a task, or at once if the token is canceled there`(origin: Origin) async {
        let (model, child) = (model, token.child())
        #expect(token.onCancel { Issue.record("was taken away") }.cancel())
        token.onCancel { Task { @MainActor in model.note("parent") } }
        child.onCancel { Task { @MainActor in model.note("child") } }
        CancelToken(anyOf: child, CancelToken()).onCancel { Task { @MainActor in model.note("any") } }
        origin.call { [token] in token.cancel() }
        await until { model.log.count == 3 }
        #expect(Set(model.log) == ["parent", "child", "any"])
        let (other, seen) = (CancelToken(), Model())
        other.onCancel { MainActor.assumeIsolated { seen.note("before") } }
        other.cancel()
        other.onCancel { MainActor.assumeIsolated { seen.note("after") } }
        #expect(seen.log == ["before", "after"])
    }
}
