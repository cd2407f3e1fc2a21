import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Future: its state", .watchdog)
struct FutureTests {
    @Test func `values of any size are kept and released`() {
        struct Large {
            let numbers = (1, 2, 3, 4, 5, 6, 7, 8)
            let probe: Probe
        }
        let large = Watch { probe in
            let future = Future(value: Large(probe: probe))
            #expect(future.result?.value?.numbers.7 == 8)
            #expect(future.map(context: immediate) { $0.numbers.0 }.ended == .success(1))
        }
        #expect(large.isReleased)
        let small = Watch { probe in
            let future = Future(value: probe)
            #expect(future.result?.value === probe)
        }
        #expect(small.isReleased)
        #expect(Future(value: ()).completed)
        #expect(Future<Int?>(value: nil).result?.value == .some(nil))
        #expect(Future(value: (1, "two", 3.0)).result?.value?.1 == "two")
        #expect(Future(value: SIMD4<Double>(1, 2, 3, 4)).result?.value?.w == 4)
    }

    @Test func `an error is kept and released`() {
        let watch = Watch { probe in
            let future = Future<Int>(error: ProbeError(probe: probe))
            #expect((future.map(context: immediate) { $0 }.result?.error as? ProbeError)?.probe === probe)
        }
        #expect(watch.isReleased)
    }

    @Test func `the debug description contains the state, and a canceled future is not completed`() {
        let (token, source) = (CancelToken(), Future<Int>())
        let cancelled = source.map(context: immediate, cancelToken: token) { $0 }
        token.cancel()
        #expect(!cancelled.completed)
        #expect(Future(value: 3).debugDescription == "Future<Int>(success(3))")
        #expect(Future<Int>(error: Oops.source).debugDescription == "Future<Int>(failure(source))")
        #expect(cancelled.debugDescription == "Future<Int>(cancelled)")
        source.onSuccess(context: immediate) { _ in }
        source.onFailure(context: immediate) { _ in }
        #expect(source.debugDescription == "Future<Int>(pending, 2 waiting)")
        let promise = Promise<Int>(fileID: "App/Profile.swift", line: 42)
        promise.success(3)
        #expect(promise.debugDescription == "Promise(Future<Int>(success(3)), createdAt: App/Profile.swift:42)")
    }

    @Test func `futures of different types are handled alike`() {
        let futures: [AnyFuture] = [Future(value: 1), Future(value: "two"), Future<Bool>()]
        #expect(futures.map { $0.completed } == [true, true, false])
        #expect(futures.allSatisfy { !$0.isCancelled })
        #expect(futures.allSatisfy { !$0.cancel(CancelToken()) })
    }

    @Test func `the only callback of a future released while pending runs on its context`() {
        let (context, heard) = (ManualContext(), Log<Int>())
        Future<Int>().onFailure(context: context) { _ in heard.add(1) }
        #expect(heard.all == [])
        context.run()
        #expect(heard.all == [1])
    }

    @Test func `a callback on a queue gets brokenPromise too, if a callback releases the future`() async {
        let (future, outer, heard) = (Box<Future<Int>?>(Future()), Future<Void>(), Log<Int>())
        future.value?.onFailure(context: QueueContext.global) { error in
            if case .brokenPromise(nil) = error as? FuturesError { heard.add(1) }
        }
        outer.onSuccess(context: immediate) { future.value = nil }
        outer.success()
        await until { heard.count == 1 }
    }
}

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
        let log = Log<Int>()
        let made = future(context: immediate) {
            log.add(1)
            return 2
        }
        let nothing: Future<Void> = future(context: immediate) { log.add(3) }
        #expect(made.ended == .success(2) && nothing.completed)
        #expect(log.all == [1, 3])
    }
}
