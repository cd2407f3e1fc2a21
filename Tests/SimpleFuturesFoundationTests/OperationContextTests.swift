import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("An operation queue as a context", .watchdog)
struct OperationContextTests {
    private let queue = OperationQueue()
    private let heard = Box<[Int]>([])

    init() { queue.maxConcurrentOperationCount = 1 }

    @Test func `callbacks run on the queue, in order`() async {
        let (promise, places) = (Promise<Void>(), Box<[Bool]>([]))
        for number in 0..<100 {
            promise.future.onSuccess(context: queue) { [queue, heard] in
                places.append(OperationQueue.current === queue)
                heard.append(number)
            }
        }
        promise.success()
        await until { heard.value.count == 100 }
        #expect(heard.value == Array(0..<100))
        #expect(places.value.allSatisfy { $0 })
    }

    @Test(arguments: [1, 4])
    func `elements of a stream arrive in order and one at a time, even on a concurrent queue`(count: Int) async {
        queue.maxConcurrentOperationCount = count
        let promise = StreamPromise<Int>(capacity: 0)
        promise.stream.onSuccess(context: queue) { [heard] in heard.append($0) }
        for number in 0..<1_000 { promise.success(number) }
        await until { heard.value.count == 1_000 }
        #expect(heard.value == Array(0..<1_000))
    }

    @Test func `a suspended queue delays callbacks`() async {
        queue.isSuspended = true
        let future = Future(value: 1)
        future.onSuccess(context: queue) { [heard] in heard.append($0) }
        #expect(queue.operationCount == 1)
        #expect(heard.value.isEmpty)
        queue.isSuspended = false
        await until { heard.value == [1] }
    }

    @Test func `an operation canceled in the queue does not run, and futures that depend on it are broken`() async {
        queue.isSuspended = true
        let mapped = Future(value: 1).map(context: queue) { [heard] number in
            heard.append(number)
            return number
        }
        let stream = FutureStream<Int>(capacity: 0)
        let elements = stream.map(context: queue) { $0 }
        let words = Box<[String]>([])
        elements.onComplete(context: ImmediateContext()) { words.append("\($0)") }
        elements.onFinish(context: ImmediateContext()) { words.append("finish") }
        stream.success(1)
        queue.cancelAllOperations()
        queue.isSuspended = false
        guard case .brokenPromise = await mapped.outcome.error as? FuturesError else {
            Issue.record("not broken: \(mapped)")
            return
        }
        await until { words.value.last == "finish" }
        #expect(words.value.count == 2 && words.value[0].contains("failure"))
        #expect(heard.value.isEmpty)
    }

    @Test func `callbacks canceled in the queue are released`() async {
        weak var probe: Probe?
        queue.isSuspended = true
        do {
            let captured = Probe()
            probe = captured
            Future(value: 1).onSuccess(context: queue) { _ in captured.use() }
        }
        queue.cancelAllOperations()
        queue.isSuspended = false
        await until { probe == nil }
    }

    @Test func `delays work`() async throws {
        let late = Future(value: 1).delay(.milliseconds(1), context: queue)
        #expect(try await late.value == 1)
        let ticks = FutureStream.every(.milliseconds(1), context: queue)
        for try await tick in ticks.values where tick > 2 { break }
    }

    @Test func `the main queue is a context`() async {
        let isMain = Future(value: 1).map(context: OperationQueue.main) { _ in
            MainActor.assertIsolated()
            return OperationQueue.current === OperationQueue.main
        }
        #expect(await isMain.outcome.value == true)
    }
}
