import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Queue", .watchdog)
struct QueueTests {
    @Test func `main and global are the queues of that name`() {
        #expect(Queue.main.queue.isMain)
        #expect(Queue.global.queue.isGlobalUtility)
    }

    @Test func `it can be created from a name`() {
        #expect(Queue("us.gnos.myqueue").queue.label == "us.gnos.myqueue")
    }

    @Test func `it can be created from a queue`() {
        let queue = DispatchQueue(label: "mine")
        #expect(Queue(queue).queue === queue)
    }

    @Test func `sync runs a closure before it returns`() {
        let log = Log<Int>()
        Queue("test").sync { log.add(1) }
        #expect(log.all == [1])
    }

    @Test func `sync returns the value of the closure`() {
        let value = Queue("test").sync { 3 }
        #expect(value == 3)
    }

    @Test func `sync throws the error of the closure`() {
        #expect(throws: Oops.thrown) { try Queue("test").sync { throw Oops.thrown } }
        #expect(throws: Oops.thrown) { try Queue("test").sync { () -> Int in throw Oops.thrown } }
    }

    @Test func `async runs closures one after the other on a queue created from a name`() {
        let queue = Queue("test")
        let log = Log<Int>()
        for number in 1...100 { queue.async { log.add(number) } }
        queue.sync {}
        #expect(log.all == Array(1...100))
    }

    @Test(arguments: [0, -1, 0.001, -.infinity, .nan])
    func `delay runs a closure later`(seconds: Double) async {
        await withCheckedContinuation { done in
            Queue("test").delay(seconds) { done.resume() }
        }
    }

    @Test(arguments: [Double.infinity, .greatestFiniteMagnitude, 1e18, 9.3e18])
    func `an infinite delay does no harm`(seconds: Double) {
        let log = Log<Void>()
        let queue = Queue("test")
        queue.delay(seconds) { log.add(()) }
        queue.sync {}
        #expect(log.count == 0)
    }
}
