import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promise 5: no user code runs under a lock, so every call can be made from every callback", .watchdog)
struct NoUserCodeUnderALockTests {
    @Test(arguments: Site.all)
    func `every call can be made inside a callback, and neither traps nor deadlocks`(_ site: Site) {
        let current = Box("")
        let isOver = returns {
            for call in Call.all {
                current.value = call.name
                let calls = Box(0)
                let bench = Bench()
                site.reach(bench) {
                    guard calls.value == 0 else { return }
                    calls.increment()
                    call.make(bench)
                }
                bench.clear()
                if calls.value != 1 { Issue.record("in \(site.name): \(call.name) was made \(calls.value) times") }
            }
        }
        #expect(isOver, "\(current.value) does not return")
    }

    @Test func `a future that another thread releases does not end under the lock of a token`() async {
        // `future.cancel(token)` searches the token for links of the future, and must not release the last reference
        // there.
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

    @Test func `a task that a context runs inside its own lock can complete other futures`() {
        let promise = Promise<Int>()
        let inner = Promise<Int>()
        let chained = promise.future.flatMap(context: InlineContext()) { _ in inner.future }
        inner.future.onSuccess(context: InlineContext()) { _ in promise.trySuccess(3) }
        #expect(returns { inner.success(7) })
        #expect(chained.result?.value == 7)
    }

    @Test func `after the cancellation of a task, handlers of its token run outside the runtime's handler`() {
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

    @Test func `a token's callbacks do not run after its cancellation`() {
        // As after `task.cancel()`: the token is marked as cancelled, but Dispatch has not yet unsubscribed the
        // callbacks.
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

    @Test(arguments: [true, false])
    func `a stream's callbacks do not run after their token is canceled, even before they are unsubscribed`(
        _ isFinish: Bool
    ) {
        // As after `task.cancel()`: the token is marked as cancelled, but Dispatch has not yet unsubscribed the
        // callbacks.
        let token = CancelToken()
        let source = FutureStream<Int>()
        let runs = Box(0)
        source.onSuccess(context: immediate, cancelToken: token) { _ in runs.increment() }
        source.onFinish(context: immediate, cancelToken: token) { runs.increment() }
        let derived = source.map(context: immediate, cancelToken: token) { $0 }
        let flattened = source.flatMap(context: immediate, cancelToken: token) { Future(value: $0) }
        let logs = [derived.heard(), flattened.heard()]
        let later = Box<(@Sendable () -> Void)?>(nil)
        token.cancel { later.value = $0 }
        source.success(1)
        if isFinish { source.finish() }
        later.value?()
        if !isFinish { source.success(2) }
        #expect(runs.value == 0)
        #expect(logs.map { $0.all } == [[.cancel], [.cancel]])
        #expect(derived.isCancelled && flattened.isCancelled)
    }

    @Test func `a stream that another thread releases does not end under the lock of a token`() async {
        await #expect(processExitsWith: .success) {
            let token = CancelToken()
            race(rounds: Stress.rounds(1_000)) {
                let bares = (0..<8).map { _ in Box<FutureStream<Int>?>(FutureStream()) }
                for bare in bares {
                    bare.value?.onComplete(context: ImmediateContext(), cancelToken: token) { _ in }
                }
                let busy = FutureStream<Int>()
                for _ in 0..<20 { busy.onComplete(context: ImmediateContext()) { _ in } }
                return (busy: busy, bares: bares)
            } _: { arena in
                for _ in 0..<8 { arena.busy.cancel(token) }
            } _: { arena in
                for bare in arena.bares { bare.value = nil }
            } check: { _ in
                precondition(token.registrationCount == 0)
            }
        }
    }
}

private struct Crowd: Sendable {
    let busy: Future<Int>
    let bares: [Box<Future<Int>?>]
    let token: CancelToken
}
