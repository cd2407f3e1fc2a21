import SimpleFutures
import Testing
@testable import TestSupport

@Suite("FuturesDiagnostics", .watchdog, .serialized)
struct FuturesDiagnosticsTests {
    @Test func `completing a promise twice is reported with its place`() {
        Reports.during { log in
            let site = CreationSite(fileID: "DiagnosticsTests/twice", line: 1)
            let promise = Promise<Int>(fileID: "DiagnosticsTests/twice", line: 1)
            promise.success(1)
            promise.success(2)
            promise.failure(Oops.other)
            promise.complete(.success(3))
            #expect(log.about(site) == Array(repeating: .completedTwice(createdAt: site), count: 3))
            #expect(promise.future.ended == .success(1))
        }
    }

    @Test func `a promise records the line where it was created`() {
        Reports.during { log in
            let site = CreationSite(line: #line + 1)
            _ = Promise<Int>()
            #expect(log.about(site) == [.brokenPromise(createdAt: site)])
        }
    }

    @Test func `tryComplete, trySuccess and tryFailure report nothing`() {
        Reports.during { log in
            let promise = Promise<Int>(fileID: "DiagnosticsTests/try", line: 1)
            promise.success(1)
            #expect(!promise.tryComplete(.success(2)))
            #expect(!promise.trySuccess(2))
            #expect(!promise.tryFailure(Oops.other))
            #expect(log.about(CreationSite(fileID: "DiagnosticsTests/try", line: 1)).isEmpty)
        }
    }

    @Test func `a completion handler called twice is reported with its source location`() {
        Reports.during { log in
            let site = CreationSite(fileID: "DiagnosticsTests/block", line: 1)
            let wrapped: Future<Int> = future(
                method: { (done: (Int) -> Void) in
                    done(1)
                    done(2)
                }, fileID: "DiagnosticsTests/block", line: 1)
            #expect(log.about(site) == [.blockCalledTwice(createdAt: site)])
            #expect(wrapped.ended == .success(1))
        }
    }

    @Test func `calling a resolver's completion handler twice is reported with its place`() {
        Reports.during { log in
            let site = CreationSite(fileID: "DiagnosticsTests/resolver", line: 1)
            let made = Future<Int>(fileID: "DiagnosticsTests/resolver", line: 1) { complete in
                complete(.success(1))
                complete(.failure(Oops.other))
            }
            #expect(log.about(site) == [.blockCalledTwice(createdAt: site)])
            #expect(made.ended == .success(1))
        }
    }

    @Test func `a broken promise is reported once, with its place`() {
        Reports.during { log in
            let site = CreationSite(fileID: "DiagnosticsTests/broken", line: 1)
            var promise: Promise<Int>? = Promise(fileID: "DiagnosticsTests/broken", line: 1)
            let derived = promise?.future.map(context: immediate) { $0 }.map(context: immediate) { $0 }
            promise = nil
            #expect(log.about(site) == [.brokenPromise(createdAt: site)])
            #expect(derived?.result?.error as? FuturesError == .brokenPromise(createdAt: site))
        }
    }

    @Test func `a completion handler released uncalled is reported with its source location`() {
        Reports.during { log in
            let site = CreationSite(fileID: "DiagnosticsTests/uncalled", line: 1)
            let wrapped: Future<Int> = future(
                method: { (_: (Int) -> Void) in }, fileID: "DiagnosticsTests/uncalled", line: 1)
            #expect(log.about(site) == [.brokenPromise(createdAt: site)])
            #expect(wrapped.result?.error as? FuturesError == .brokenPromise(createdAt: site))
        }
    }

    @Test func `completing a canceled future is not an error`() {
        Reports.during { log in
            let promise = Promise<Int>(fileID: "DiagnosticsTests/cancelled", line: 1)
            let token = CancelToken()
            let source = Future<Int>()
            promise.completeWith(future: source.map(context: immediate, cancelToken: token) { $0 })
            token.cancel()
            promise.success(1)
            #expect(promise.future.isCancelled)
            #expect(log.about(CreationSite(fileID: "DiagnosticsTests/cancelled", line: 1)).isEmpty)
        }
    }

    @Test func `the handler can use the library`() {
        Reports.during { log in
            let previous = FuturesDiagnostics.handler
            let inner = Log<Int>()
            let promise = Promise<Int>()
            FuturesDiagnostics.handler = { report in
                previous?(report)
                promise.future.onSuccess(context: immediate) { inner.add($0) }
                promise.trySuccess(2)
                FuturesDiagnostics.handler = previous
                #expect(FuturesDiagnostics.handler != nil)
            }
            promise.success(1)
            promise.success(2)
            #expect(inner.all == [1])
        }
    }

    @Test func `a report is made on the thread that made the mistake`() {
        Reports.during { log in
            let context = SerialContext()
            let promise = Promise<Int>()
            let gate = Gate()
            let here = Log<Bool>()
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
}
