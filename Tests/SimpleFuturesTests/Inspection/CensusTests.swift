import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

// In separate processes: reading the live objects keeps all of them alive for a moment, which other tests would notice.

@Suite("Tracking of live objects", .watchdog)
struct CensusTests {
    @Test func `a promise is listed with its future, once, until it is completed`() async {
        await #expect(processExitsWith: .success) {
            Census.begin()
            let promise = Promise<Int>(fileID: "App/Profile.swift", line: 3)
            promise.future.onSuccess(context: immediate) { _ in }
            let text = "Future<Int>, which the promise made at App/Profile.swift:3 completes"
            precondition(Census.report == [text, "    onSuccess"], "\(Census.report)")
            promise.success(1)
            precondition(Census.report == [], "\(Census.report)")
        }
    }

    @Test func `a future without a promise is listed too`() async {
        await #expect(processExitsWith: .success) {
            Census.begin()
            let future = Future<Int>()
            let derived = future.map(context: immediate) { "\($0)" }
            let texts = ["Future<Int>", "    Future<String>, derived from it"]
            precondition(Census.report == texts, "\(Census.report)")
            withExtendedLifetime(derived) { future.success(1) }
            precondition(Census.report == [], "\(Census.report)")
        }
    }

    @Test func `a stream is listed until it has finished`() async {
        await #expect(processExitsWith: .success) {
            Census.begin()
            let promise = StreamPromise<Int>(capacity: 2, fileID: "App/Profile.swift", line: 4)
            promise.stream.onSuccess(context: immediate) { _ in }
            promise.success(1)
            let texts = ["FutureStream with 1 kept, made at App/Profile.swift:4", "    onSuccess"]
            precondition(Census.report == texts, "\(Census.report)")
            let bare = FutureStream<Int>(fileID: "App/Profile.swift", line: 5)
            let more = ["FutureStream with 0 kept, made at App/Profile.swift:5"]
            precondition(Census.report == texts + more, "\(Census.report)")
            withExtendedLifetime(bare) { promise.finish() }
            precondition(Census.report.count == 1, "\(Census.report)")
        }
    }

    @Test func `a dropped future is no longer listed and not kept`() async {
        await #expect(processExitsWith: .success) {
            final class Value: Sendable {}
            Census.begin()
            weak var value: Value?
            do {
                let kept = Value()
                value = kept
                let promise = Promise<Int>()
                promise.future.onComplete(context: immediate) { _ in withExtendedLifetime(kept) {} }
                precondition(Census.report.count == 2, "\(Census.report)")
            }
            precondition(Census.report == [], "\(Census.report)")
            precondition(value == nil)
        }
    }

    @Test func `short-lived objects do not grow the list, and long-lived ones stay in it`() async {
        await #expect(processExitsWith: .success) {
            Census.begin()
            let promises = (0..<10).map { _ in
                let promise = Promise<Int>()
                for _ in 0..<100 { _ = Promise<Double>() }
                return promise
            }
            withExtendedLifetime(promises) { precondition(Census.report.count == 10, "\(Census.report)") }
        }
    }

    @Test func `futures created before and after tracking are not listed`() async {
        await #expect(processExitsWith: .success) {
            let before = Promise<Int>()
            Census.begin()
            Census.begin()
            Census.end()
            let meanwhile = Promise<Double>()
            Census.end()
            let after = Promise<String>()
            precondition(Census.report.count == 1 && Census.report[0].hasPrefix("Future<Double>"))
            withExtendedLifetime((before, meanwhile, after)) {}
        }
    }

    @Test func `a list can be read while others are written`() async {
        await #expect(processExitsWith: .success) {
            Census.begin()
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                for _ in 0..<Stress.rounds(200) {
                    let promise = Promise<Int>()
                    if thread == 0 { _ = Census.report }
                    promise.success(1)
                }
            }
            precondition(Census.report == [], "\(Census.report)")
        }
    }
}
