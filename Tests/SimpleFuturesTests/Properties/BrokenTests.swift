import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Broken: a future whose last producer is gone fails, and one that has a producer left does not", .watchdog)
struct BrokenTests {
    private let here = ImmediateContext()

    @Test func `a dropped promise breaks its future and all that is derived`() {
        var promise: Promise<Int>? = Promise(fileID: "A/B.swift", line: 3)
        let future = promise!.future
        let end = future.map(context: here) { $0 }.flatMap(context: here) { Future(value: $0) }
        promise = nil
        let broken = FuturesError.brokenPromise(createdAt: CreationSite(fileID: "A/B.swift", line: 3))
        #expect(future.result?.error as? FuturesError == broken)
        #expect(end.result?.error as? FuturesError == broken)
    }

    @Test func `a released block breaks the future, and a block that somebody holds does not`() {
        let held = Box<(@Sendable (Int) -> Void)?>(nil)
        let wrapped: Future<Int> = future(method: { (block: @escaping @Sendable (Int) -> Void) in held.value = block })
        #expect(!wrapped.completed)
        held.value = nil
        #expect(isBroken(wrapped))

        let two = Box<(@Sendable (any Error) -> Void)?>(nil)
        let either: Future<Int> = future(method: {
            (_: @escaping @Sendable (Int) -> Void, failure: @escaping @Sendable (any Error) -> Void) in
            two.value = failure
        })
        #expect(!either.completed)
        two.value = nil
        #expect(isBroken(either))
        #expect(isBroken(Future<Int> { _ in }))
    }

    @Test func `a promise that was dropped while its completeWith is pending is not broken`() {
        let source = Promise<Int>()
        var promise: Promise<Int>? = Promise()
        let future = promise!.future
        promise?.completeWith(future: source.future)
        promise = nil
        #expect(!future.completed)
        source.success(2)
        #expect(future.result?.value == 2)
    }

    @Test func `it is broken when the source is gone as well, and not before`() {
        var source: Promise<Int>? = Promise()
        let bare = Box<Future<Int>?>(Future())
        var promise: Promise<Int>? = Promise()
        let future = promise!.future
        promise?.completeWith(future: bare.value!)
        bare.value = nil
        #expect(!future.completed)
        promise?.completeWith(future: source!.future)
        promise = nil
        #expect(!future.completed)
        source = nil
        #expect(isBroken(future))
    }

    @Test func `a source that is released breaks what is derived, on its contexts`() {
        let manual = ManualContext()
        let log = Log<String>()
        var bare: Future<Int>? = Future()
        bare?.onComplete(context: manual) { log.add($0.isFailure() ? "failure" : "success") }
        let mapped = bare!.map(context: manual) { $0 }
        let recovered = bare!.recover(context: manual) { _ in 7 }
        let token = CancelToken()
        bare?.onFailure(context: manual, cancelToken: token) { _ in log.add("detached") }
        bare = nil
        #expect(isBroken(mapped))
        #expect(!recovered.completed)
        token.cancel()
        manual.run()
        #expect(log.all == ["failure"])
        #expect(recovered.result?.value == 7)
    }

    @Test func `a bare future is not broken while somebody holds it`() {
        let bare = Future<Int>()
        let derived = bare.map(context: here) { $0 }
        #expect(!derived.completed)
        #expect(bare.trySuccess(1))
        #expect(derived.result?.value == 1)
    }

    @Test func `an inner future that is released breaks the flatMap`() {
        let inner = Box<Future<Int>?>(Future())
        let derived = Future(value: 1).flatMap(context: here) { _ in inner.value! }
        #expect(!derived.completed)
        inner.value = nil
        #expect(isBroken(derived))
    }

    @Test func `a future that is told to complete with itself fails`() {
        let future = Future<Int>()
        future.completeWith(future: future)
        #expect(future.result?.error as? FuturesError == .invalidCompletion)
    }

    @Test func `a manual context that is released breaks what has waited for it, and keeps nothing`() {
        var manual: ManualContext? = ManualContext()
        let future = Future(value: 1)
        let mapped = future.map(context: manual!) { $0 }
        let delayed = future.delay(.seconds(1), context: manual!)
        manual = nil
        #expect(isBroken(mapped))
        #expect(isBroken(delayed))
        #expect(future.observerCount == 0)
    }

    @Test func `a promise that is dropped while another thread adds a producer is broken or not, but ends`() {
        race {
            let source = Promise<Int>()
            let promise = Promise<Int>()
            return Arena(source: source, future: promise.future, promise: Box(promise))
        } _: { arena in
            arena.promise.value = nil
        } _: { arena in
            arena.future.completeWith(future: arena.source.future)
        } check: { arena in
            arena.source.success(1)
            try verify(arena.future.completed, "it has ended")
            try verify(arena.source.future.observerCount == 0, "nothing stays registered")
        }
    }

    private func isBroken(_ future: Future<Int>) -> Bool {
        if case .brokenPromise = future.result?.error as? FuturesError { true } else { false }
    }
}

private struct Arena: Sendable {
    let source: Promise<Int>
    let future: Future<Int>
    let promise: Box<Promise<Int>?>
}
