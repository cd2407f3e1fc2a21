import Dispatch
import SimpleFutures
import Testing

// In processes of their own: to look at who lives keeps all of them alive for that moment, which other tests would notice.

@Suite("The count of the living", .watchdog)
struct CensusTests {
    @Test func `a promise is told of with its future, once, until it is completed`() async {
        await #expect(processExitsWith: .success) {
            Census.begin()
            let promise = Promise<Int>(fileID: "App/Profile.swift", line: 3)
            promise.future.onSuccess(context: immediate) { _ in }
            let text = "Promise(Future<Int>(pending, 1 waiting), createdAt: App/Profile.swift:3)"
            precondition(Census.reports == [text], "\(Census.reports)")
            promise.success(1)
            precondition(Census.reports == [], "\(Census.reports)")
        }
    }

    @Test func `a future that has no promise is told of as well`() async {
        await #expect(processExitsWith: .success) {
            Census.begin()
            let future = Future<Int>()
            let derived = future.map(context: immediate) { "\($0)" }
            let texts = ["Future<Int>(pending, 1 waiting)", "Future<String>(pending, 0 waiting)"]
            precondition(Census.reports == texts, "\(Census.reports)")
            withExtendedLifetime(derived) { future.success(1) }
            precondition(Census.reports == [], "\(Census.reports)")
        }
    }

    @Test func `a stream is told of until it has finished`() async {
        await #expect(processExitsWith: .success) {
            Census.begin()
            let promise = StreamPromise<Int>(capacity: 2, fileID: "App/Profile.swift", line: 4)
            promise.stream.onSuccess(context: immediate) { _ in }
            promise.success(1)
            let text = "FutureStream(1 kept, 1 subscribed, open, createdAt: App/Profile.swift:4)"
            precondition(Census.reports == [text], "\(Census.reports)")
            let bare = FutureStream<Int>()
            precondition(Census.reports == [text, "FutureStream(0 kept, 0 subscribed, open)"], "\(Census.reports)")
            withExtendedLifetime(bare) { promise.finish() }
            precondition(Census.reports.count == 1, "\(Census.reports)")
        }
    }

    @Test func `what was dropped is told of no more, and is not kept`() async {
        await #expect(processExitsWith: .success) {
            final class Value: Sendable {}
            Census.begin()
            weak var value: Value?
            do {
                let kept = Value()
                value = kept
                let promise = Promise<Int>()
                promise.future.onComplete(context: immediate) { _ in withExtendedLifetime(kept) {} }
                precondition(Census.reports.count == 1, "\(Census.reports)")
            }
            precondition(Census.reports == [], "\(Census.reports)")
            precondition(value == nil)
        }
    }

    @Test func `many that come and go make no long list, and none that stays is forgotten`() async {
        await #expect(processExitsWith: .success) {
            Census.begin()
            let promises = (0..<10).map { _ in
                let promise = Promise<Int>()
                for _ in 0..<100 { _ = Promise<Double>() }
                return promise
            }
            withExtendedLifetime(promises) { precondition(Census.reports.count == 10, "\(Census.reports)") }
        }
    }

    @Test func `what is made before and after is not told of`() async {
        await #expect(processExitsWith: .success) {
            let before = Promise<Int>()
            Census.begin()
            Census.begin()
            Census.end()
            let meanwhile = Promise<Double>()
            Census.end()
            let after = Promise<String>()
            precondition(Census.reports.count == 1 && Census.reports[0].hasPrefix("Promise(Future<Double>"))
            withExtendedLifetime((before, meanwhile, after)) {}
        }
    }

    @Test func `a list may be looked at while others are written`() async {
        await #expect(processExitsWith: .success) {
            Census.begin()
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                for _ in 0..<Stress.rounds(200) {
                    let promise = Promise<Int>()
                    if thread == 0 { _ = Census.reports }
                    promise.success(1)
                }
            }
            precondition(Census.reports == [], "\(Census.reports)")
        }
    }
}
