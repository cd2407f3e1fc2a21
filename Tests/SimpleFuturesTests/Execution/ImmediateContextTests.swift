import Foundation
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("ImmediateContext", .watchdog)
struct ImmediateContextTests {
    @Test func `a task has run when execute returns`() {
        let log = Log<Int>()
        ImmediateContext().execute { log.add(1) }
        #expect(log.all == [1])
    }

    @Test func `callbacks have run when the completing call returns`() {
        let log = Log<Int>()
        let future = Future<Int>()
        future.onSuccess(context: ImmediateContext()) { log.add($0) }
        future.map(context: ImmediateContext()) { $0 + 1 }.onSuccess(context: ImmediateContext()) { log.add($0) }
        future.success(1)
        #expect(log.all == [1, 2])
    }

    @Test func `callbacks have run when the registering call returns`() {
        let log = Log<Int>()
        Future(value: 1).onSuccess(context: ImmediateContext()) { log.add($0) }
        #expect(log.all == [1])
    }

    @Test func `inside a callback, new callbacks run when that one returns`() {
        let log = Log<Int>()
        Future(value: 1).onSuccess(context: ImmediateContext()) { value in
            Future(value: 3).onSuccess(context: ImmediateContext()) { log.add($0) }
            log.add(value)
        }
        #expect(log.all == [1, 3])
    }

    @Test func `an event loop inside a callback delivers with runPending, oldest first, and no more than once`() {
        let log = Log<Int>()
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
        let log = Log<Int>()
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

    @Test func `outside callbacks runPending does nothing`() {
        ImmediateContext.runPending()
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

    @Test func `it runs delayed tasks with a Dispatch timer`() async {
        let done = Future<Int>()
        ImmediateContext().execute(after: .milliseconds(1)) { done.success(1) }
        #expect(await done.end() == .success(1))
    }
}
