import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promise 5: no user code runs under a lock, so every call may be made from every callback", .watchdog)
struct NoUserCodeUnderALockTests {
    @Test(arguments: Site.allCases, Call.allCases)
    func `a call inside a callback neither traps nor deadlocks`(_ site: Site, _ call: Call) {
        let calls = Box(0)
        let isOver = returns {
            let bench = Bench()
            bench.registration.value = bench.token.onCancel {}
            bench.promise.future.onComplete(context: ImmediateContext(), cancelToken: bench.token) { _ in }
            site.reach(bench) {
                calls.increment()
                call.make(on: bench)
            }
            bench.clear()
        }
        #expect(isOver)
        #expect(calls.value == 1)
    }

    @Test(.watchdog)
    func `a future that another thread releases does not end under the lock of a token`() async {
        // The last reference must not be dropped by the search of `future.cancel(token)` for the links of a future.
        await #expect(processExitsWith: .success) {
            let busy = Promise<Int>().future
            let token = CancelToken()
            race(rounds: Stress.rounds(3_000)) {
                let bares = (0..<8).map { _ in Box<Future<Int>?>(Future()) }
                for bare in bares {
                    bare.value?.onComplete(context: ImmediateContext(), cancelToken: token) { _ in }
                }
                let busy = Future<Int>()
                for _ in 0..<20 { busy.onComplete(context: ImmediateContext()) { _ in } }
                return Crowd(busy: busy, bares: bares, token: token)
            } _: { arena in
                for _ in 0..<8 { arena.busy.cancel(arena.token) }
            } _: { arena in
                for bare in arena.bares { bare.value = nil }
            } check: { arena in
                precondition(arena.token.registrationCount == 0)
            }
            withExtendedLifetime(busy) {}
        }
    }

    @Test func `a task that a context runs inside its own lock may complete other futures`() {
        let promise = Promise<Int>()
        let inner = Promise<Int>()
        let chained = promise.future.flatMap(context: InlineContext()) { _ in inner.future }
        inner.future.onSuccess(context: InlineContext()) { _ in promise.trySuccess(3) }
        #expect(returns { inner.success(7) })
        #expect(chained.result?.value == 7)
    }

    @Test func `handlers of a token that was cancelled by a task run outside the runtime's handler`() {
        let token = CancelToken()
        let log = Log<String>()
        token.onCancel { log.add("handler") }
        let later = Box<(@Sendable () -> Void)?>(nil)
        token.cancel { later.value = $0 }
        #expect(token.isCancelled)
        #expect(log.all == [])
        later.value?()
        #expect(log.all == ["handler"])
    }

    @Test func `what is under a token runs no more once the token is cancelled, detached or not yet`() {
        // As after `task.cancel()`: the token is cancelled, and Dispatch has not got round to the rest.
        let token = CancelToken()
        let promise = Promise<Int>()
        let runs = Box(0)
        promise.future.onSuccess(context: ImmediateContext(), cancelToken: token) { _ in runs.increment() }
        let derived = promise.future.map(context: ImmediateContext(), cancelToken: token) { $0 }
        let later = Box<(@Sendable () -> Void)?>(nil)
        token.cancel { later.value = $0 }
        #expect(token.isCancelled)
        promise.success(1)
        later.value?()
        #expect(runs.value == 0)
        #expect(derived.isCancelled)
    }
}

private struct Crowd: Sendable {
    let busy: Future<Int>
    let bares: [Box<Future<Int>?>]
    let token: CancelToken
}

/// Where code of the user's runs.
enum Site: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case onComplete, onSuccess, onFailure, onCancel, map, flatMap, recover, traverse, tokenHandler, lateTokenHandler
    case contextExecute, inlineContext, manualContext, timer, resolver
    case deinitOfCaptureThatRan, deinitOfCaptureThatWasCancelled, deinitOfCaptureOfHandler, deinitOfValue
    case deinitOfError, deinitOfDroppedTask, deinitOfReleasedFuture

    var testDescription: String { rawValue }

    /// Sees to it that the code runs there.
    func reach(_ bench: Bench, _ body: @escaping @Sendable () -> Void) {
        let here = ImmediateContext()
        let promise = bench.promise
        let future = promise.future
        switch self {
        case .onComplete:
            future.onComplete(context: here) { _ in body() }
            promise.success(1)
        case .onSuccess:
            future.onSuccess(context: here, cancelToken: bench.token) { _ in body() }
            promise.success(1)
        case .onFailure:
            future.onFailure(context: here) { _ in body() }
            promise.failure(Failure())
        case .onCancel:
            let derived = future.map(context: here, cancelToken: bench.token) { $0 }
            derived.onCancel(context: here) { body() }
            bench.token.cancel()
        case .map:
            _ = future.map(context: here) { _ in body() }
            promise.success(1)
        case .flatMap:
            _ = future.flatMap(context: here, cancelToken: bench.token) { value in
                body()
                return bench.other.future
            }
            promise.success(1)
        case .recover:
            _ = future.recover(context: here) { _ in
                body()
                return 1
            }
            promise.failure(Failure())
        case .traverse:
            _ = [1].traverse { value in
                body()
                return Future(value: value)
            }
        case .tokenHandler:
            bench.token.onCancel(body)
            bench.token.cancel()
        case .lateTokenHandler:
            bench.token.cancel()
            bench.token.onCancel(body)
        case .contextExecute:
            future.onSuccess(context: HookedContext(hook: body)) { _ in }
            promise.success(1)
        case .inlineContext:
            future.onSuccess(context: InlineContext()) { _ in body() }
            promise.success(1)
        case .manualContext:
            future.onSuccess(context: bench.manual) { _ in body() }
            promise.success(1)
            bench.manual.run()
        case .timer:
            bench.manual.execute(after: .seconds(1), body)
            bench.manual.advance(by: .seconds(1))
        case .resolver:
            _ = Future<Int> { complete in
                body()
                complete(.success(1))
            }
        case .deinitOfCaptureThatRan:
            hold(AtDeinit(body)) { object in future.onSuccess(context: here) { _ in object.use() } }
            promise.success(1)
        case .deinitOfCaptureThatWasCancelled:
            hold(AtDeinit(body)) { object in
                future.onSuccess(context: here, cancelToken: bench.token) { _ in object.use() }
            }
            future.cancel(bench.token)
        case .deinitOfCaptureOfHandler:
            hold(AtDeinit(body)) { object in bench.token.onCancel { object.use() } }
            bench.token.cancel()
        case .deinitOfValue: _ = Future(value: AtDeinit(body))
        case .deinitOfError: _ = Future<Int>(error: ErrorAtDeinit(object: AtDeinit(body)))
        case .deinitOfDroppedTask:
            hold(AtDeinit(body)) { object in future.onSuccess(context: DroppingContext()) { _ in object.use() } }
            promise.success(1)
        case .deinitOfReleasedFuture:
            hold(AtDeinit(body)) { object in
                Future<Int>().onCancel(context: here) { object.use() }
            }
        }
    }
}

private func hold(_ object: AtDeinit, _ body: (AtDeinit) -> Void) { body(object) }

private struct ErrorAtDeinit: Error {
    let object: AtDeinit
}

private struct HookedContext: ExecutionContext {
    let hook: @Sendable () -> Void

    func execute(_ task: @escaping @Sendable () -> Void) {
        hook()
        task()
    }
}
