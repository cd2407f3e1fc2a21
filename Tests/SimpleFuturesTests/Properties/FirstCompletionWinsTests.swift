import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

// The handler of reports is one for the whole process, so each test that sets it has a process of its own.

@Suite("Promise 2: the first completion wins, and the others are reported", .watchdog)
struct FirstCompletionWinsTests {
    @Test(arguments: [Try<Int>.success(1), .failure(Failure(id: 1))], [Try<Int>.success(2), .failure(Failure(id: 2))])
    func `whatever comes second changes nothing`(_ first: Try<Int>, _ second: Try<Int>) {
        let promise = Promise<Int>()
        #expect(promise.tryComplete(first))
        promise.complete(second)
        promise.future.complete(second)
        #expect(!promise.tryComplete(second))
        #expect(!promise.future.tryComplete(second))
        #expect(promise.future.result?.value == first.value)
        #expect(promise.future.result?.error as? Failure == first.error as? Failure)
    }

    @Test func `a second completion of a promise is reported with the promise's site`() async {
        await #expect(processExitsWith: .success) {
            let reports = recordReports()
            let promise = Promise<Int>(fileID: "Some/File.swift", line: 7)
            promise.success(1)
            promise.success(2)
            promise.failure(Failure())
            let site = CreationSite(fileID: "Some/File.swift", line: 7)
            precondition(reports.all == [.completedTwice(createdAt: site), .completedTwice(createdAt: site)])
        }
    }

    @Test func `a second completion of a bare future is reported without a site`() async {
        await #expect(processExitsWith: .success) {
            let reports = recordReports()
            let future = Future<Int>(value: 1)
            future.success(2)
            precondition(reports.all == [.completedTwice(createdAt: nil)])
        }
    }

    @Test func `a second call of a block is reported with the site of the wrapping`() async {
        await #expect(processExitsWith: .success) {
            let reports = recordReports()
            let wrapped: Future<Int> = future(fileID: "Some/File.swift", line: 9) { (block: (Int) -> Void) in
                block(1)
                block(2)
            }
            precondition(wrapped.result?.value == 1)
            let site = CreationSite(fileID: "Some/File.swift", line: 9)
            precondition(reports.all == [.blockCalledTwice(createdAt: site)])
        }
    }

    @Test func `a broken promise is reported with its site, and its future says the same`() async {
        await #expect(processExitsWith: .success) {
            let reports = recordReports()
            let future = Promise<Int>(fileID: "Some/File.swift", line: 11).future
            let site = CreationSite(fileID: "Some/File.swift", line: 11)
            precondition(future.result?.error as? FuturesError == .brokenPromise(createdAt: site))
            precondition(reports.all == [.brokenPromise(createdAt: site)])
        }
    }

    @Test func `try completions and completions of what is cancelled are not reported`() async {
        await #expect(processExitsWith: .success) {
            let reports = recordReports()
            let promise = Promise<Int>()
            promise.success(1)
            promise.trySuccess(2)
            promise.tryFailure(Failure())
            let token = CancelToken()
            token.cancel()
            let cancelled = Promise<Int>().future.map(cancelToken: token) { $0 }
            cancelled.success(3)
            precondition(!cancelled.trySuccess(4) && cancelled.isCancelled && cancelled.result == nil)
            precondition(!reports.all.contains(.completedTwice(createdAt: nil)))
        }
    }

    @Test func `of many racing completions one counts and all others are reported`() async {
        await #expect(processExitsWith: .success) {
            let reports = recordReports()
            let promise = Promise<Int>()
            DispatchQueue.concurrentPerform(iterations: 100) { promise.success($0) }
            precondition(reports.all.count == 99)
        }
    }

    @Test func `the handler of reports may complete, register, report and replace itself`() async {
        await #expect(processExitsWith: .success) {
            let count = Box(0)
            let promise = Promise<Int>()
            promise.success(1)
            FuturesDiagnostics.handler = { _ in
                count.increment()
                guard count.value < 5 else { return FuturesDiagnostics.handler = nil }
                promise.future.onSuccess(context: ImmediateContext()) { _ in count.increment() }
                promise.success(2)
            }
            promise.success(3)
            precondition(count.value > 4)
            precondition(FuturesDiagnostics.handler == nil)
        }
    }

    @Test func `completion races with cancellation, and one of the two has happened`() {
        race {
            let source = Promise<Int>()
            let token = CancelToken()
            return Derived(source: source, token: token, future: source.future.map(cancelToken: token) { $0 })
        } _: { arena in
            arena.completed.value = arena.future.trySuccess(9)
        } _: { arena in
            arena.token.cancel()
        } check: { arena in
            try verify(arena.future.isCancelled != arena.completed.value, "one of the two")
            try verify(arena.future.result?.value == (arena.completed.value ? 9 : nil), "the result is the winner's")
        }
    }
}

private struct Derived: Sendable {
    let source: Promise<Int>
    let token: CancelToken
    let future: Future<Int>
    let completed = Box(false)
}

private func recordReports() -> Log<FuturesDiagnostic> {
    let reports = Log<FuturesDiagnostic>()
    FuturesDiagnostics.handler = { reports.add($0) }
    return reports
}
