import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Tokens of a main-actor module", .watchdog)
struct TokenTests {
    private let promise = Promise<Profile>()
    private let token = CancelToken()

    @Test(arguments: Place.ofMainActor, Origin.allCases)
    func `a token silences the callbacks of a model, wherever it is cancelled`(place: Place, origin: Origin) async {
        let model = ProfileModel()
        let (context, done) = (place.makeContext(), Promise<Void>())
        model.load(promise.future.map(context: context, cancelToken: token) { $0 }, on: context, until: token)
        origin.call { [token, promise] in
            token.cancel()
            promise.success(Profile(id: 1, name: "Ada"))
            done.success()
        }
        _ = await done.future.outcome
        await until { !model.log.isEmpty }
        await mainQueueIsDone()
        #expect(model.log == ["cancelled"])
    }

    @Test(arguments: Origin.allCases)
    func `handlers run in order, those of children too`(origin: Origin) async throws {
        let (first, second, third) = (Promise<Void>(), Promise<Void>(), Promise<Void>())
        token.onCancel { first.success() }
        let child = token.child()
        child.onCancel { second.tryComplete(first.completed ? .success(()) : .failure(AppError.unknown)) }
        CancelToken(anyOf: child, CancelToken()).onCancel(third.success)
        origin.call { [token] in token.cancel() }
        try await zip(second.future, third.future).asVoid().value
        #expect(child.isCancelled)
    }

    @Test(arguments: Origin.allCases)
    func `a handler reaches the main actor by a task`(origin: Origin) async {
        let model = ProfileModel()
        token.onCancel { Task { @MainActor in model.fail(AppError.offline) } }
        origin.call { [token] in token.cancel() }
        await until { model.error == .offline }
    }

    @Test func `cancelled on the main actor it runs its handlers there`() {
        let model = ProfileModel()
        token.onCancel { MainActor.assumeIsolated { model.fail(AppError.offline) } }
        token.cancel()
        #expect(model.error == .offline)
        token.onCancel { MainActor.assumeIsolated { model.fail(AppError.unknown) } }
        #expect(model.error == .unknown)
    }

    @Test(arguments: Place.ofMainActor)
    func `a deadline runs handlers on its context`(place: Place) async {
        let model = ProfileModel()
        let deadline = CancelToken(after: .milliseconds(1), context: place.makeContext())
        deadline.onCancel { MainActor.assumeIsolated { model.fail(AppError.offline) } }
        await until { model.error == .offline }
    }

    @Test(arguments: Place.allCases)
    func `a deadline on any context`(place: Place) async {
        let context = place.makeContext()
        let deadline = CancelToken(after: .milliseconds(1), context: context)
        let pending = promise.future.map(cancelToken: deadline) { $0 }
        (context as? ManualContext)?.advance(by: .milliseconds(1))
        #expect(await pending.end(on: context).error is CancellationError)
    }

    @Test func `a handler that was taken away does not run`() {
        let called = Promise<Void>()
        let registration = token.onCancel { called.success() }
        #expect(registration.cancel())
        token.cancel()
        #expect(!called.completed)
    }

    @Test(arguments: Origin.allCases)
    func `a model that goes cancels what it was waiting for`(origin: Origin) async {
        let page = Promise<Int>()
        let derived: Future<Int>
        do {
            let screen = Screen(page.future)
            derived = screen.page
            origin.call { _ = screen }
        }
        #expect(await derived.outcome.error is CancellationError)
        #expect(!page.completed)
    }
}

private final class Screen {
    let page: Future<Int>
    private let closed: CancelToken

    init(_ page: Future<Int>) {
        let closed = CancelToken()
        self.page = page.map(cancelToken: closed) { $0 }
        self.closed = closed
    }

    deinit { closed.cancel() }
}
