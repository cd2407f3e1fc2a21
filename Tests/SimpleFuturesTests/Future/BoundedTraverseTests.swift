import SimpleFutures
import Testing
@testable import TestSupport

@Suite("traverse(maxConcurrent:)", .watchdog)
struct BoundedTraverseTests {
    /// Futures that a test completes, and which of them have been started.
    private final class Work: Sendable {
        let futures: [Future<Int>]
        let started = Log<Int>()

        init(_ count: Int) { futures = (0..<count).map { _ in Future() } }

        func traverse(_ bound: Int, on context: any ExecutionContext = immediate) -> Future<[Int]> {
            futures.indices.traverse(maxConcurrent: bound, context: context) { index in
                self.started.add(index)
                return self.futures[index]
            }
        }
    }

    @Test func `at most the given number is pending`() {
        let work = Work(5)
        let all = work.traverse(2)
        #expect(work.started.all == [0, 1])
        work.futures[1].success(1)
        #expect(work.started.all == [0, 1, 2])
        work.futures[2].success(2)
        work.futures[0].success(0)
        #expect(work.started.all == [0, 1, 2, 3, 4])
        work.futures[4].success(4)
        #expect(all.ended == .pending)
        work.futures[3].success(3)
        #expect(all.ended == .success([0, 1, 2, 3, 4]))
    }

    @Test(arguments: [1, 3, 10, Int.max])
    func `results are in the order of the elements`(bound: Int) {
        let all = (0..<10).traverse(maxConcurrent: bound, context: immediate) { Future(value: $0 * 2) }
        #expect(all.ended == .success((0..<10).map { $0 * 2 }))
    }

    @Test func `without elements the result is an empty array at once`() {
        let all = [Int]().traverse(maxConcurrent: 3, context: DroppingContext()) { Future(value: $0) }
        #expect(all.ended == .success([]))
    }

    @Test func `the closure runs on its context`() async {
        let context = SerialContext()
        let all = (0..<5).traverse(maxConcurrent: 2, context: context) { _ in Future(value: context.isCurrent) }
        #expect(await all.end() == .success(Array(repeating: true, count: 5)))
    }

    @Test func `the closure is called in order`() {
        let context = ManualContext()
        let work = Work(6)
        let all = work.traverse(3, on: context)
        #expect(work.started.count == 0)
        context.run()
        #expect(work.started.all == [0, 1, 2])
        for index in [2, 1, 0] { work.futures[index].success(index) }
        context.run()
        #expect(work.started.all == [0, 1, 2, 3, 4, 5])
        for index in 3..<6 { work.futures[index].success(index) }
        #expect(all.ended == .success([0, 1, 2, 3, 4, 5]))
    }

    @Test func `the closure is called in order even if futures are completed on several threads`() async {
        for _ in 0..<100 {
            let context = SerialContext()
            let log = Log<Int>()
            let all = (0..<50).traverse(maxConcurrent: 4, context: context) { index in
                log.add(index)
                return Future(value: index).delay(.zero, context: QueueContext.global)
            }
            #expect(await all.end() == .success(Array(0..<50)))
            let inOrder = log.all == Array(0..<50)
            #expect(inOrder, "\(log.all)")
            if !inOrder { break }
        }
    }

    @Test(arguments: Source.Ending.allCases)
    func `after an input that does not succeed no further one is started`(ending: Source.Ending) {
        guard ending != .success else { return }
        let log = Log<Int>()
        let other = Future<Int>()
        let source = Source()
        let input = source.future
        let all = (0..<10).traverse(maxConcurrent: 2, context: immediate) { index in
            log.add(index)
            return index == 0 ? input : other
        }
        source.end(ending)
        #expect(all.ended == ending.passedOn(success: .pending))
        #expect(log.all == [0, 1])
        #expect(other.observerCount == 0)
        other.success(1)
        #expect(log.all == [0, 1])
    }

    @Test func `the first failure in time wins`() {
        let work = Work(4)
        let all = work.traverse(3)
        work.futures[2].failure(Oops.other)
        work.futures[0].failure(Oops.source)
        #expect(all.ended == .failure(Oops.other))
    }

    @Test func `an error thrown by the closure fails the result`() {
        let log = Log<Int>()
        let pending = Future<Int>()
        let all = (0..<10).traverse(maxConcurrent: 2, context: immediate) { index -> Future<Int> in
            log.add(index)
            if index == 1 { throw Oops.thrown }
            return pending
        }
        #expect(all.ended == .failure(Oops.thrown))
        #expect(log.all == [0, 1])
        #expect(pending.observerCount == 0)
    }

    @Test func `a dispatched closure that has not begun is not called after a failure`() {
        let context = ManualContext()
        let work = Work(4)
        let all = work.traverse(2, on: context)
        context.run()
        work.futures[0].success(0)
        work.futures[1].failure(Oops.source)
        context.run()
        #expect(work.started.all == [0, 1])
        #expect(all.ended == .failure(Oops.source))
    }

    @Test func `closure and elements are released after a failure`() {
        let work = Work(2)
        let watches = Log<Watch>()
        let all = Log<Future<[Int]>>()
        watches.add(
            Watch { probe in
                let elements = [(0, probe), (1, probe), (1, probe)]
                all.add(elements.traverse(maxConcurrent: 2, context: immediate) { index, _ in work.futures[index] })
            })
        watches.add(
            Watch { probe in
                all.add(
                    [0, 1, 1].traverse(maxConcurrent: 2, context: immediate) { index in
                        probe.use()
                        return work.futures[index]
                    })
            })
        #expect(watches.all.map { $0.isReleased } == [false, false])
        work.futures[0].failure(Oops.source)
        #expect(watches.all.map { $0.isReleased } == [true, true])
        #expect(all.all.map { $0.ended } == [.failure(Oops.source), .failure(Oops.source)])
        #expect(work.futures[1].observerCount == 0)
    }

    @Test func `closure and elements are released when all is done`() {
        let watch = Watch { probe in
            let all = [probe, probe].traverse(maxConcurrent: 1, context: immediate) { element in
                element.use()
                return Future(value: 1)
            }
            #expect(all.ended == .success([1, 1]))
        }
        #expect(watch.isReleased)
    }

    @Test(arguments: [0, -1])
    func `a bound below one stops the program with a message`(bound: Int) async {
        await #expect(processExitsWith: .failure) { [bound] in
            _ = [1].traverse(maxConcurrent: bound, context: ImmediateContext()) { Future(value: $0) }
        }
    }
}
