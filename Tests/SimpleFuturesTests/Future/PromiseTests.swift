import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promise", .watchdog)
struct PromiseTests {
    @Test func `its future is pending, and the same each time`() {
        let promise = Promise<Int>()
        #expect(promise.future === promise.future)
        #expect(promise.future.ended == .pending)
        #expect(!promise.completed)
    }

    @Test func `released before its completion, it breaks its future`() {
        var promise: Promise<Int>? = Promise(fileID: "App/Profile.swift", line: 42)
        let future = promise?.future
        #expect(future?.ended == .pending)
        promise = nil
        let site = CreationSite(fileID: "App/Profile.swift", line: 42)
        #expect(future?.result?.error as? FuturesError == .brokenPromise(createdAt: site))
    }

    @Test func `the error of a broken promise names the line`() {
        var promise: Promise<Int>? = Promise()
        let site = CreationSite(line: #line - 1)
        let future = promise?.future
        promise = nil
        #expect(future?.result?.error as? FuturesError == .brokenPromise(createdAt: site))
    }

    @Test func `its release after its completion has no effect`() {
        let future = {
            let promise = Promise<Int>()
            promise.success(1)
            return promise.future
        }()
        #expect(future.ended == .success(1))
    }

    @Test func `it can be released by a callback of its own future`() {
        let log = Log<Outcome<Int>>()
        let holder = Lock<Promise<Int>?>(Promise())
        let future = holder.withLock { $0?.future }
        let trigger = Future<Void>()
        trigger.onSuccess(context: immediate) {
            let promise = holder.withLock { $0.take() }
            _ = promise
        }
        future?.onComplete(context: immediate) { log.add(Outcome($0)) }
        trigger.success()
        #expect(log.all == [.broken])
    }

    @Test func `pending callbacks do not keep it alive`() {
        var promise: Promise<Int>? = Promise()
        weak let weakPromise = promise
        let future = promise?.future
        future?.onComplete(context: ManualContext()) { _ in }
        promise = nil
        #expect(weakPromise == nil)
        #expect(future?.ended == .broken)
    }

    @Test func `its debug description contains the place and the state`() {
        let promise = Promise<Int>(fileID: "App/Profile.swift", line: 42)
        let pending = "Promise(Future<Int>(pending, 0 waiting), createdAt: App/Profile.swift:42)"
        #expect(promise.debugDescription == pending)
        promise.success(3)
        #expect(promise.debugDescription == "Promise(Future<Int>(success(3)), createdAt: App/Profile.swift:42)")
    }

    @Test func `the type of a promise can be annotated`() {
        let text: Promise<String> = Promise()
        text.success("done")
        #expect(text.future.ended == .success("done"))
    }
}
