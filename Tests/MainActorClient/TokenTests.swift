import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Tokens of a main-actor module", .watchdog)
struct TokenTests {
    private let promise = Promise<Profile>()
    private let stream = StreamPromise<Profile>()
    private let token = CancelToken()
    private let model = Model()

    @Test(arguments: ContextKind.ofMainActor, Origin.allCases)
    func `a token canceled on any thread unsubscribes a model's callbacks`(
        kind: ContextKind, origin: Origin
    ) async {
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
        await until { model.log.count == 2 }
        await onMain {}
        #expect(model.log == ["cancelled", "cancelled"])
    }

    @Test(arguments: ContextKind.allCases)
    func `flatMap releases inner futures and streams on any context`(kind: ContextKind) async {
        let (context, other) = (kind.makeContext(), CancelToken())
        let (inner, innerFuture) = (StreamPromise<Int>(), Promise<Int>())
        let streams = stream.stream.flatMap(context: context, cancelToken: token) { _ in inner.stream }
        let futures = stream.stream.flatMap(context: context, cancelToken: token) { _ in innerFuture.future }
        let kept = stream.stream.map(context: context, cancelToken: other) { $0.id }
        stream.sendAll()
        Origin.backgroundQueue.call { [token] in token.cancel() }
        #expect(await streams.values(on: context).isEmpty)
        #expect(await futures.values(on: context).isEmpty)
        #expect(await kept.values(on: context) == [1, 2])
        #expect(streams.isCancelled && futures.isCancelled && !kept.isCancelled)
    }

    @Test(arguments: Origin.allCases)
    func `handlers reach the main actor through a task, including those of child tokens`(origin: Origin) async {
        let (model, child) = (model, token.child())
        token.onCancel { Task { @MainActor in model.note("parent") } }
        child.onCancel { Task { @MainActor in model.note("child") } }
        CancelToken(anyOf: child, CancelToken()).onCancel { Task { @MainActor in model.note("any") } }
        origin.call { [token] in token.cancel() }
        await until { model.log.count == 3 }
        #expect(Set(model.log) == ["parent", "child", "any"])
    }

    @Test func `a token canceled on the main actor runs its handlers there`() {
        let (model, registration) = (model, token.onCancel { Issue.record("was taken away") })
        #expect(registration.cancel())
        token.onCancel { MainActor.assumeIsolated { model.note("before") } }
        token.cancel()
        token.onCancel { MainActor.assumeIsolated { model.note("after") } }
        #expect(model.log == ["before", "after"])
    }

    @Test(arguments: ContextKind.allCases)
    func `a deadline cancels on any context, and can call a model on main-actor contexts`(kind: ContextKind) async {
        let (context, model) = (kind.makeContext(), model)
        let deadline = CancelToken(after: .milliseconds(1), context: context)
        let pending = promise.future.map(cancelToken: deadline) { $0 }
        if ContextKind.ofMainActor.contains(kind) {
            deadline.onCancel { MainActor.assumeIsolated { model.note("late") } }
        }
        (context as? ManualContext)?.advance(by: .milliseconds(1))
        #expect(await pending.end(on: context).error is CancellationError)
        await until { model.log == ["late"] || !ContextKind.ofMainActor.contains(kind) }
    }

    @Test(arguments: Origin.allCases)
    func `a released model cancels the work that it waits for`(origin: Origin) async {
        let (page, profiles): (Future<Profile>, FutureStream<Profile>)
        do {
            let screen = Screen(promise.future, stream.stream)
            (page, profiles) = (screen.page, screen.profiles)
            origin.call { _ = screen }
        }
        #expect(await page.outcome.error is CancellationError)
        _ = await profiles.elements()
        #expect(profiles.isCancelled)
        #expect(!promise.completed && !stream.stream.isFinished)
    }
}

private final class Screen {
    let page: Future<Profile>
    let profiles: FutureStream<Profile>
    private let token: CancelToken

    init(_ page: Future<Profile>, _ profiles: FutureStream<Profile>) {
        let token = CancelToken()
        self.page = page.map(cancelToken: token) { $0 }
        self.profiles = profiles.map(cancelToken: token) { $0 }
        self.token = token
    }

    deinit { token.cancel() }
}
