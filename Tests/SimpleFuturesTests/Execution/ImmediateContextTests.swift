import Dispatch
import Foundation
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("ImmediateContext", .watchdog)
struct ImmediateContextTests {
    private let log = Log<Int>()

    @Test func `a task has run when execute returns, and then runPending does nothing`() {
        ImmediateContext().execute { log.add(1) }
        #expect(log.all == [1])
        ImmediateContext.runPending()
        #expect(log.all == [1])
    }

    @Test func `an event loop inside a callback delivers with runPending, oldest first, and no more than once`() {
        let (number, stream) = (Promise<Int>(), StreamPromise<Int>(capacity: 0))
        number.future.map(context: ImmediateContext()) { value -> Int in
            log.add(value)
            return 4
        }.onSuccess(context: ImmediateContext()) { log.add($0) }
        stream.stream.onSuccess(context: ImmediateContext()) { log.add($0) }
        let first = Future(value: 0)
        first.onSuccess(context: ImmediateContext()) { _ in
            // Simulates a timer that fires while a dialog is open.
            number.success(1)
            stream.success(2)
            #expect(log.all == [])
            ImmediateContext.runPending()
            #expect(log.all == [1, 2, 4])
            stream.success(5)
            ImmediateContext.runPending()
            ImmediateContext.runPending()
            #expect(log.all == [1, 2, 4, 5])
        }
        #expect(log.all == [1, 2, 4, 5])
    }

    @Test func `a callback run by runPending can call it too`() {
        let numbers = (0..<100).map { _ in Promise<Int>() }
        for (index, number) in numbers.enumerated() {
            number.future.onSuccess(context: ImmediateContext()) { _ in
                if index + 1 < numbers.count { numbers[index + 1].success(0) }
                ImmediateContext.runPending()
                log.add(index)
            }
        }
        numbers[0].success(0)
        #expect(log.all == (0..<100).reversed())
    }

    @Test(arguments: [true, false])
    func `runPending runs thousands of callbacks of other futures`(_ isImmediate: Bool) {
        let context: any ExecutionContext = isImmediate ? ImmediateContext() : InlineContext()
        Future(value: 0).onSuccess(context: ImmediateContext()) { _ in
            for number in 0..<9_000 {
                let promise = Promise<Int>()
                promise.future.onSuccess(context: context) { log.add($0) }
                promise.success(number)
            }
            ImmediateContext.runPending()
            #expect(log.all == Array(0..<9_000))
        }
    }

    @Test func `runPending returns after ten thousand callbacks or more, and the next call goes on`() {
        let stream = FutureStream<Int>(capacity: 0)
        stream.onSuccess(context: ImmediateContext()) {
            log.add($0)
            if $0 < 90_000 { stream.success($0 + 1) }
        }
        Future(value: 0).onSuccess(context: ImmediateContext()) { _ in
            stream.success(1)
            ImmediateContext.runPending()
            let count = log.count
            #expect(10_000...60_000 ~= count)
            ImmediateContext.runPending()
            #expect(log.count > count)
        }
        #expect(log.count == 90_000)
        // Its callback holds it.
        stream.finish()
    }

    @Test(arguments: [false, true])
    func `an event loop inside a callback delivers by itself what its callbacks on a context cause`(_ isAtOnce: Bool) {
        let (loop, callback, number) = (ManualContext(), Future<Void>(), Promise<Int>())
        number.future.onSuccess(context: ImmediateContext()) { log.add($0) }
        let hop = Future<Void>()
        hop.onSuccess(context: loop) { number.success(1) }
        hop.success()
        callback.onSuccess(context: isAtOnce ? InlineContext() : ImmediateContext()) {
            loop.run()
            log.add(2)
        }
        callback.success()
        #expect(log.all == [1, 2])
    }

    #if os(Linux)
    @Test func `a process without a free thread key gets a message`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var key = pthread_key_t()
            while pthread_key_create(&key, nil) == 0 {}
            Future(value: 1).onSuccess(context: ImmediateContext()) { _ in }
        }
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(output.contains("pthread_key_create returned 11"), "\(output)")
    }
    #endif
}

@Suite("MaxStackDepthContext", .watchdog)
struct MaxStackDepthContextTests {
    @Test func `tasks run inside each other up to the depth, then on the global queue`() async {
        let (context, here, log, done) = (MaxStackDepthContext(maxDepth: 3), SerialContext(), Log<Bool>(), Gate())
        @Sendable func nest(_ levels: Int) {
            context.execute {
                log.add(here.isCurrent)
                if levels > 1 { nest(levels - 1) } else { done.open() }
            }
        }
        here.execute { nest(4) }
        await onThread { done.pass() }
        #expect(log.all == [true, true, true, false])
    }

    @Test func `the depth is restored`() {
        let log = Log<Int>()
        let context = MaxStackDepthContext(maxDepth: 1)
        for number in 1...100 { context.execute { log.add(number) } }
        #expect(log.all == Array(1...100))
    }

    @Test func `callbacks run at once, however long the chain`() {
        let log = Log<Int>()
        let source = Future<Int>()
        var end = source
        for _ in 0..<1_000 { end = end.map(context: MaxStackDepthContext()) { $0 + 1 } }
        end.onSuccess(context: MaxStackDepthContext()) { log.add($0) }
        source.success(0)
        #expect(log.all == [1_000])
    }
}
