import SimpleFutures
import Testing
@testable import TestSupport

private let file: StaticString = "DiagnosticsTests/place"
private let site = CreationSite(fileID: file, line: 1)

@Suite("FuturesDiagnostics", .watchdog, .serialized)
struct FuturesDiagnosticsTests {
    /// The reports about the place during a call.
    private func reports(_ body: () -> Void) -> [FuturesDiagnostic] {
        Reports.during { log in
            body()
            return log.about(site)
        }
    }

    @Test func `completing a promise again is reported with its place, except by the try functions`() {
        let reports = reports {
            let promise = Promise<Int>(fileID: file, line: 1)
            promise.success(1)
            promise.success(2)
            promise.failure(Oops.other)
            promise.complete(.success(3))
            #expect(!promise.tryComplete(.success(2)))
            #expect(!promise.trySuccess(2))
            #expect(!promise.tryFailure(Oops.other))
            #expect(promise.future.ended == .success(1))
        }
        #expect(reports == Array(repeating: .completedTwice(createdAt: site), count: 3))
    }

    @Test func `a completion handler called twice is reported with its place, also a resolver's`() {
        let reports = reports {
            let wrapped: Future<Int> = future(
                method: { (done: (Int) -> Void) in
                    done(1)
                    done(2)
                }, fileID: file, line: 1)
            #expect(wrapped.ended == .success(1))
            let made = Future<Int>(fileID: file, line: 1) { complete in
                complete(.success(1))
                complete(.failure(Oops.other))
            }
            #expect(made.ended == .success(1))
        }
        #expect(reports == [.blockCalledTwice(createdAt: site), .blockCalledTwice(createdAt: site)])
    }

    @Test func `a broken promise or completion handler is reported once, with its place`() {
        let reports = reports {
            var promise: Promise<Int>? = Promise(fileID: file, line: 1)
            let derived = promise?.future.map(context: immediate) { $0 }.map(context: immediate) { $0 }
            promise = nil
            #expect(derived?.result?.error as? FuturesError == .brokenPromise(createdAt: site))
            let wrapped: Future<Int> = future(method: { (_: (Int) -> Void) in }, fileID: file, line: 1)
            let made = Future<Int>(fileID: file, line: 1) { _ in }
            for broken in [wrapped, made] {
                #expect(broken.result?.error as? FuturesError == .brokenPromise(createdAt: site))
            }
        }
        #expect(reports == Array(repeating: .brokenPromise(createdAt: site), count: 3))
        Reports.during { log in
            let site = CreationSite(line: #line + 1)
            _ = Promise<Int>()
            #expect(log.about(site) == [.brokenPromise(createdAt: site)])
        }
    }

    @Test func `a report is made on the thread that made the mistake`() {
        Reports.during { _ in
            let (context, promise, gate, here) = (SerialContext(), Promise<Int>(), Gate(), Log<Bool>())
            FuturesDiagnostics.handler = { _ in here.add(context.isCurrent) }
            promise.success(1)
            context.execute {
                promise.success(2)
                gate.open()
            }
            gate.pass()
            #expect(here.all.contains(true))
        }
    }

    // In separate processes, in which nothing else is reported.

    @Test func `there is no handler by default, and one can be set and removed`() async {
        await #expect(processExitsWith: .success) {
            #expect(FuturesDiagnostics.handler == nil)
            Future(value: 1).success(2)
            _ = Promise<Int>()
            let log = Log<FuturesDiagnostic>()
            FuturesDiagnostics.handler = { log.add($0) }
            FuturesDiagnostics.handler?(.completedTwice(createdAt: nil))
            #expect(log.count == 1)
            FuturesDiagnostics.handler = nil
            Future(value: 1).success(2)
            #expect(log.count == 1)
        }
    }

    @Test func `completing a bare future twice is reported without a place`() async {
        await #expect(processExitsWith: .success) {
            let (future, log) = (Future<Int>(), Log<FuturesDiagnostic>())
            FuturesDiagnostics.handler = { log.add($0) }
            future.success(1)
            future.success(2)
            future.failure(Oops.other)
            future.complete(.success(3))
            future.trySuccess(4)
            #expect(log.all == Array(repeating: .completedTwice(createdAt: nil), count: 3))
        }
    }

    @Test func `completing a canceled future, or calling a handler once or after a throw, is not reported`()
        async
    {
        await #expect(processExitsWith: .success) {
            let log = Log<FuturesDiagnostic>()
            FuturesDiagnostics.handler = { log.add($0) }
            let (promise, target, token) = (Promise<Int>(), Promise<Int>(), CancelToken())
            let derived = promise.future.map(context: immediate, cancelToken: token) { $0 }
            _ = derived.recover(context: immediate) { _ in 2 }
            target.completeWith(future: derived)
            token.cancel()
            #expect(target.future.isCancelled)
            target.success(1)
            derived.success(1)
            derived.failure(Oops.other)
            #expect(!derived.tryComplete(.success(1)))
            promise.success(1)
            _ = Future<Int>()
            _ = Future<Int>(error: Oops.other)
            _ = future(method: { (done: @escaping @Sendable (Int) -> Void) in done(1) })
            let kept = Box<(@Sendable (Int) -> Void)?>(nil)
            _ = future { (done: @escaping @Sendable (Int) -> Void) in
                kept.value = done
                throw Oops.thrown
            }
            kept.value?(1)
            #expect(log.all == [])
        }
    }
}
