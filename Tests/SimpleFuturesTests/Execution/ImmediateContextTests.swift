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

    @Test func `inside a callback, callbacks run when that returns`() {
        let log = Log<Int>()
        Future(value: 1).onSuccess(context: ImmediateContext()) { value in
            Future(value: 3).onSuccess(context: ImmediateContext()) { log.add($0) }
            log.add(value)
        }
        #expect(log.all == [1, 3])
    }

    @Test func `it runs tasks later with a timer of Dispatch`() async {
        let done = Future<Int>()
        ImmediateContext().execute(after: .milliseconds(1)) { done.success(1) }
        #expect(await done.end() == .success(1))
    }
}
