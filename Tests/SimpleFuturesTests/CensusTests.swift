import Dispatch
import SimpleFutures
import Testing

@Suite("The count of the living", .watchdog)
struct CensusTests {
    /// What is told of promises with a mark, of which others may be alive at the same time.
    private func reports(_ mark: StaticString) -> [String] {
        Census.reports.filter { $0.contains("\(mark)") }
    }

    @Test func `a promise is told of with its future, once, until it is completed`() {
        Census.begin()
        defer { Census.end() }
        let promise = Promise<Int>(fileID: "CensusTests/promise", line: 3)
        promise.future.onSuccess(context: immediate) { _ in }
        #expect(
            reports("CensusTests/promise") == [
                "Promise(Future<Int>(pending, 1 waiting), createdAt: CensusTests/promise:3)"
            ])
        promise.success(1)
        #expect(reports("CensusTests/promise").isEmpty)
    }

    @Test func `a future that has no promise is told of as well`() {
        struct Mark: Sendable {}
        Census.begin()
        defer { Census.end() }
        let future = Future<Mark>()
        let derived = future.map(context: immediate) { _ in [Mark()] }
        #expect(reports("Mark>(pending, 1 waiting)").count == 1)
        #expect(reports("Array<Mark>>(pending, 0 waiting)").count == 1)
        withExtendedLifetime(derived) { future.success(Mark()) }
        #expect(reports("Mark>").isEmpty)
    }

    @Test func `a stream is told of until it has finished`() {
        Census.begin()
        defer { Census.end() }
        let promise = StreamPromise<Int>(capacity: 2, fileID: "CensusTests/stream", line: 4)
        promise.stream.onSuccess(context: immediate) { _ in }
        promise.success(1)
        #expect(
            reports("CensusTests/stream") == [
                "FutureStream(1 kept, 1 subscribed, open, createdAt: CensusTests/stream:4)"
            ])
        promise.finish()
        #expect(reports("CensusTests/stream").isEmpty)
    }

    @Test func `what was dropped is told of no more, and is not kept`() {
        final class Value: Sendable {}
        Census.begin()
        defer { Census.end() }
        weak var value: Value?
        do {
            let kept = Value()
            value = kept
            let promise = Promise<Int>(fileID: "CensusTests/dropped", line: 5)
            promise.future.onComplete(context: immediate) { _ in withExtendedLifetime(kept) {} }
            #expect(reports("CensusTests/dropped").count == 1)
        }
        #expect(reports("CensusTests/dropped").isEmpty)
        #expect(value == nil)
    }

    @Test func `many that come and go make no long list, and none that stays is forgotten`() {
        Census.begin()
        defer { Census.end() }
        let promises = (0..<10).map { _ in
            let promise = Promise<Int>(fileID: "CensusTests/stays", line: 6)
            for _ in 0..<100 { _ = Promise<Int>(fileID: "CensusTests/goes", line: 6) }
            return promise
        }
        withExtendedLifetime(promises) { #expect(reports("CensusTests/stays").count == 10) }
        #expect(reports("CensusTests/goes").isEmpty)
    }

    @Test func `a list may be looked at while others are written`() {
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            Census.begin()
            for _ in 0..<Stress.rounds(200) {
                let promise = Promise<Int>(fileID: "CensusTests/race", line: UInt(thread))
                if thread == 0 { _ = Census.reports }
                promise.success(1)
            }
            Census.end()
        }
        #expect(reports("CensusTests/race").isEmpty)
    }
}
