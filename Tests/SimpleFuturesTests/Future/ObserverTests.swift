import SimpleFutures
import Testing

/// The package's hooks, on which the bridge to Swift concurrency rests.
@Suite("Observer")
struct ObserverTests {
    @Test(arguments: Source.Ending.allCases)
    func `a raw observer hears every end, once`(ending: Source.Ending) {
        let source = Source()
        let log = Log<Outcome<Int>>()
        let observer = Observer()
        observer.setBody { future, _ in
            log.add(future.settledResult(as: Int.self).map { Outcome($0) } ?? .cancelled)
        }
        #expect(source.future.addIfPending(observer))
        #expect(source.future.observerCount == 1)
        source.end(ending)
        #expect(log.all == [ending.passedOn(success: .success(1))])
        #expect(source.future.remove(observer) == nil)
    }

    @Test func `to a settled future it is not added`() {
        let log = Log<Void>()
        let observer = Observer()
        observer.setBody { _, _ in log.add(()) }
        #expect(!Future(value: 1).addIfPending(observer))
        #expect(log.count == 0)
    }

    @Test func `removed it is not called, and what it holds is handed back`() {
        let future = Future<Int>()
        let log = Log<Void>()
        let observer = Observer()
        observer.setBody { _, _ in log.add(()) }
        #expect(future.addIfPending(observer))
        #expect(future.remove(observer) != nil)
        #expect(future.remove(observer) == nil)
        #expect(future.observerCount == 0)
        future.success(1)
        #expect(log.count == 0)
    }

    @Test func `removed before it is added it is never added`() {
        let future = Future<Int>()
        let observer = Observer()
        observer.setBody { _, _ in Issue.record("called") }
        #expect(future.remove(observer) == nil)
        #expect(!future.addIfPending(observer))
        future.success(1)
    }

    @Test func `it may be removed from the middle`() {
        let future = Future<Int>()
        let log = Log<Int>()
        let observers = (0..<5).map { number in
            let observer = Observer()
            observer.setBody { _, _ in log.add(number) }
            return observer
        }
        for observer in observers { #expect(future.addIfPending(observer)) }
        for index in [2, 0, 4] { future.remove(observers[index]) }
        future.success(1)
        #expect(log.all == [1, 3])
    }
}
