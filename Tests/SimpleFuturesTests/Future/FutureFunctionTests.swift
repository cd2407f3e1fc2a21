import SimpleFutures
import Testing
@testable import TestSupport

@Suite("future(_:) and future(context:_:)", .watchdog)
struct FutureFunctionTests {
    private static func fail() throws -> Int { throw Oops.thrown }

    @Test func `an expression is evaluated at once, and an error that it throws fails the future`() {
        var calls = 0
        func count() -> Int {
            calls += 1
            return calls
        }
        #expect(future(count()).ended == .success(1))
        #expect(calls == 1)
        #expect(future(3).ended == .success(3))
        #expect(future("text").ended == .success("text"))
        #expect(future(()).completed)
        #expect(future(try Self.fail()).ended == .failure(Oops.thrown))
    }

    @Test func `a closure runs on its context, by default on the main queue, and is then released`() async {
        let context = ManualContext()
        var made: Future<Int>?
        let watch = Watch { probe in
            made = future(context: context) {
                probe.use()
                return 3
            }
        }
        #expect(made?.ended == .pending)
        context.run()
        #expect(made?.ended == .success(3))
        #expect(watch.isReleased)
        #expect(await future { MainQueue.isCurrent }.end() == .success(true))
        #expect(future(context: DroppingContext()) { 1 }.ended == .broken)
    }

    @Test func `a closure with several statements, or without a result, needs no annotation`() {
        let made = future(context: immediate) {
            let one = 1
            return one + 1
        }
        #expect(made.ended == .success(2))
        #expect(future(context: immediate) { () -> Int in throw Oops.thrown }.ended == .failure(Oops.thrown))
        let log = Log<Int>()
        let nothing: Future<Void> = future(context: immediate) { log.add(1) }
        #expect(nothing.completed)
        #expect(log.all == [1])
    }
}

@Suite("Future.init(resolver:)", .watchdog)
struct ResolverTests {
    @Test func `the resolver runs once, before the call returns, on the calling thread`() {
        var calls = 0
        let future = Future<Int> { complete in
            calls += 1
            complete(.success(calls))
        }
        #expect(calls == 1)
        #expect(future.ended == .success(1))
    }

    @Test func `the completion handler can be called at once, or on another thread, and the first call counts`() async {
        #expect(Future<Int> { $0(.failure(Oops.other)) }.ended == .failure(Oops.other))
        #expect(Future<Int>(resolver: { complete in complete(.success(1)) }).ended == .success(1))
        let context = SerialContext()
        let future = Future<Int> { complete in
            context.execute {
                complete(.success(1))
                complete(.failure(Oops.other))
            }
        }
        #expect(await future.end() == .success(1))
    }

    @Test func `released uncalled, the completion handler breaks the future with its place`() {
        let future = Future<Int>(fileID: "App/Profile.swift", line: 42) { _ in }
        let site = CreationSite(fileID: "App/Profile.swift", line: 42)
        #expect(future.result?.error as? FuturesError == .brokenPromise(createdAt: site))
    }

    @Test func `held, the completion handler leaves the future pending and alive, so that callbacks run`() {
        let (log, broken) = (Log<Int>(), Log<Bool>())
        var kept: (@Sendable (Try<Int>) -> Void)?
        Future<Int> { kept = $0 }.onSuccess(context: immediate) { log.add($0) }
        #expect(log.all == [])
        kept?(.success(1))
        #expect(log.all == [1])
        let future = Future<Int> { kept = $0 }
        future.onComplete(context: immediate) { broken.add($0.isFailure()) }
        #expect(future.ended == .pending)
        kept = nil
        #expect(future.ended == .broken)
        #expect(broken.all == [true])
    }

    @Test func `an error thrown by the resolver is ignored if the future is completed already`() {
        let after = Future<Int> { complete in
            complete(.success(1))
            throw Oops.thrown
        }
        #expect(after.ended == .success(1))
    }
}
