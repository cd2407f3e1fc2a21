import SimpleFutures
import Testing
@testable import TestSupport

@Suite("FuturesDiagnostic", .watchdog)
struct FuturesDiagnosticTests {
    private static let site = CreationSite(fileID: "App/Profile.swift", line: 42)

    @Test(arguments: [
        (FuturesDiagnostic.completedTwice(createdAt: site), "tryComplete"),
        (.blockCalledTwice(createdAt: site), "use `futureStream(method:)`"),
        (.brokenPromise(createdAt: site), "keep it"),
        (.emittedAfterFinish(createdAt: site), "dropped"),
        (.blockCalledWithNeither(createdAt: site), "annotate the future, as in `Future<String?>`"),
        (.completedWithItself(createdAt: site), "Complete it with another one"),
    ])
    func `the description names the place and says what to do`(report: FuturesDiagnostic, advice: String) {
        #expect(report.description.contains("App/Profile.swift:42"))
        #expect(report.description.contains(advice))
        #expect("\(report)" == report.description)
    }

    @Test(arguments: [
        FuturesDiagnostic.completedTwice(createdAt: nil), .blockCalledTwice(createdAt: nil),
        .brokenPromise(createdAt: nil), .emittedAfterFinish(createdAt: nil), .blockCalledWithNeither(createdAt: nil),
        .completedWithItself(createdAt: nil),
    ])
    func `the description reads well without a place`(report: FuturesDiagnostic) {
        #expect(!report.description.contains("nil"))
        #expect(!report.description.contains("Optional"))
        #expect(!report.description.contains("  "))
    }

    @Test(arguments: [FuturesDiagnostic.completedTwice(createdAt: nil), .completedWithItself(createdAt: nil)])
    func `without a place the description says how to find it`(report: FuturesDiagnostic) {
        #expect(report.description.hasSuffix(" Had a promise made it, its line would be named here."))
    }

    // In separate processes, in which nothing else is reported.

    @Test func `there is no handler by default`() async {
        await #expect(processExitsWith: .success) {
            #expect(FuturesDiagnostics.handler == nil)
            let future = Future(value: 1)
            future.success(2)
            _ = Promise<Int>()
        }
    }

    @Test func `the handler can be set and removed`() async {
        await #expect(processExitsWith: .success) {
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
            let log = Log<FuturesDiagnostic>()
            FuturesDiagnostics.handler = { log.add($0) }
            let future = Future<Int>()
            future.success(1)
            future.success(2)
            future.failure(Oops.other)
            future.complete(.success(3))
            future.trySuccess(4)
            #expect(log.all == Array(repeating: .completedTwice(createdAt: nil), count: 3))
        }
    }

    @Test func `emitting into a finished bare stream is reported with its place`() async {
        await #expect(processExitsWith: .success) {
            let log = Log<FuturesDiagnostic>()
            FuturesDiagnostics.handler = { log.add($0) }
            let site = CreationSite(fileID: "App/Profile.swift", line: 42)
            for stream in [
                FutureStream<Int>(fileID: "App/Profile.swift", line: 42),
                FutureStream(value: 1, fileID: "App/Profile.swift", line: 42),
                FutureStream(error: Oops.other, fileID: "App/Profile.swift", line: 42),
            ] {
                stream.finish()
                stream.success(1)
            }
            #expect(log.all == Array(repeating: .emittedAfterFinish(createdAt: site), count: 3))
        }
    }

    @Test func `a handler that itself emits into a finished stream is called once for each report`() async {
        await #expect(processExitsWith: .success) {
            let (stream, log) = (FutureStream<Int>(), Log<FuturesDiagnostic>())
            stream.finish()
            FuturesDiagnostics.handler = { diagnostic in
                log.add(diagnostic)
                stream.success(1)
            }
            stream.success(1)
            stream.success(2)
            #expect(log.all.count == 2)
        }
    }

    @Test func `completing a canceled future is not reported`() async {
        await #expect(processExitsWith: .success) {
            let log = Log<FuturesDiagnostic>()
            FuturesDiagnostics.handler = { log.add($0) }
            let token = CancelToken()
            let source = Future<Int>()
            let derived = source.map(context: immediate, cancelToken: token) { $0 }
            token.cancel()
            derived.success(1)
            derived.failure(Oops.other)
            #expect(!derived.tryComplete(.success(1)))
            source.success(1)
            #expect(log.all == [])
        }
    }

    @Test func `the description of a second iteration says what to iterate`() {
        let text = FuturesDiagnostic.iteratedAgain.description
        #expect(text.hasPrefix("A subscription was iterated again; "))
        #expect(text.hasSuffix(" or iterate `values` or `results`, which subscribe anew."))
    }

    @Test func `a future that is not broken is not reported`() async {
        await #expect(processExitsWith: .success) {
            let log = Log<FuturesDiagnostic>()
            FuturesDiagnostics.handler = { log.add($0) }
            let promise = Promise<Int>()
            let token = CancelToken()
            _ = promise.future.map(context: immediate, cancelToken: token) { $0 }.recover(context: immediate) { _ in 2 }
            token.cancel()
            promise.success(1)
            _ = Future<Int>()
            _ = Future<Int>(error: Oops.other)
            _ = future(method: { (done: @escaping @Sendable (Int) -> Void) in done(1) })
            #expect(log.all == [])
        }
    }
}
