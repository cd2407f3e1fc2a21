import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Future.init(resolver:)", .watchdog)
struct ResolverTests {
    @Test func `the completion handler can be called at once`() {
        #expect(Future<Int> { $0(.success(1)) }.ended == .success(1))
        #expect(Future<Int> { $0(.failure(Oops.other)) }.ended == .failure(Oops.other))
        #expect(Future<Int>(resolver: { complete in complete(.success(1)) }).ended == .success(1))
    }

    @Test func `the completion handler can be called on another thread`() async {
        let context = SerialContext()
        let future = Future<Int> { complete in context.execute { complete(.success(1)) } }
        #expect(await future.end() == .success(1))
    }

    @Test func `of two calls the first counts`() {
        let future = Future<Int> { complete in
            complete(.success(1))
            complete(.failure(Oops.other))
        }
        #expect(future.ended == .success(1))
    }

    @Test func `released uncalled, it breaks the future`() {
        let future = Future<Int>(fileID: "App/Profile.swift", line: 42) { _ in }
        let site = CreationSite(fileID: "App/Profile.swift", line: 42)
        #expect(future.result?.error as? FuturesError == .brokenPromise(createdAt: site))
    }

    @Test func `held uncalled, it leaves the future pending, and its release breaks the future`() {
        var kept: (@Sendable (Try<Int>) -> Void)?
        let future = Future<Int> { kept = $0 }
        #expect(future.ended == .pending)
        #expect(kept != nil)
        kept = nil
        #expect(future.ended == .broken)
    }

    @Test func `an error thrown by the resolver fails the future`() {
        #expect(Future<Int> { _ in throw Oops.thrown }.ended == .failure(Oops.thrown))
        let after = Future<Int> { complete in
            complete(.success(1))
            throw Oops.thrown
        }
        #expect(after.ended == .success(1))
    }

    @Test func `the resolver runs once, before the call returns, on the calling thread`() {
        var calls = 0
        let future = Future<Int> { complete in
            calls += 1
            complete(.success(calls))
        }
        #expect(calls == 1)
        #expect(future.ended == .success(1))
    }

    @Test func `the completion handler keeps the future alive, so that callbacks run`() {
        let log = Log<Int>()
        var kept: (@Sendable (Try<Int>) -> Void)?
        Future<Int> { kept = $0 }.onSuccess(context: immediate) { log.add($0) }
        kept?(.success(1))
        #expect(log.all == [1])
    }
}
