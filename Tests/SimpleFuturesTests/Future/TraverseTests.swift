import SimpleFutures
import Testing
@testable import TestSupport

/// `ManyInputsTests` tests the behavior that all combinators of several inputs share.
@Suite("traverse", .watchdog)
struct TraverseTests {
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

        func succeed(_ indices: Int...) { for index in indices { futures[index].success(index) } }
    }

    @Test func `without a bound the closure runs in order, on the calling thread, before the call returns`() {
        final class Plain {
            let number: Int
            init(_ number: Int) { self.number = number }
        }
        var seen: [Int] = []
        // The elements need not be Sendable.
        let all = [Plain(1), Plain(2), Plain(3)].traverse(context: DroppingContext()) { element in
            seen.append(element.number)
            return Future(value: "\(element.number)")
        }
        #expect(seen == [1, 2, 3])
        #expect(all.ended == .success(["1", "2", "3"]))
    }

    @Test(arguments: [false, true])
    func `an error thrown by the closure fails the result and ends the traversal`(isBounded: Bool) {
        let (seen, pending) = (Log<Int>(), Future<Int>())
        let map: @Sendable (Int) throws -> Future<Int> = { number in
            seen.add(number)
            if number == 2 { throw Oops.thrown }
            return pending
        }
        let all =
            isBounded
            ? [1, 2, 3].traverse(maxConcurrent: 2, context: immediate, mapping: map) : [1, 2, 3].traverse(mapping: map)
        #expect(all.ended == .failure(Oops.thrown))
        #expect(seen.all == [1, 2])
        #expect(pending.observerCount == 0)
    }

    // MARK: traverse(maxConcurrent:)

    @Test func `at most the given number is pending, and without elements no context is needed`() {
        let work = Work(5)
        let all = work.traverse(2)
        #expect(work.started.all == [0, 1])
        work.succeed(1)
        #expect(work.started.all == [0, 1, 2])
        work.succeed(2, 0)
        #expect(work.started.all == [0, 1, 2, 3, 4])
        work.succeed(4)
        #expect(all.ended == .pending)
        work.succeed(3)
        #expect(all.ended == .success([0, 1, 2, 3, 4]))
        let none = [Int]().traverse(maxConcurrent: 2, context: DroppingContext()) { Future(value: $0) }
        #expect(none.ended == .success([]))
    }

    @Test func `the closure is called on its context, in order, and no more often than futures may be pending`() {
        let (context, work) = (ManualContext(), Work(8))
        let all = work.traverse(3, on: context)
        #expect(work.started.count == 0)
        context.run()
        #expect(work.started.all == [0, 1, 2])
        work.succeed(2, 1, 0)
        #expect(work.started.all == [0, 1, 2])
        context.run()
        #expect(work.started.all == [0, 1, 2, 3, 4, 5])
        work.succeed(3, 4, 5)
        context.run()
        work.succeed(6, 7)
        #expect(all.ended == .success(Array(0..<8)))
    }

    @Test(arguments: [Source.Ending.failure, .cancellation, .breach])
    func `after an input that does not succeed no further one is started`(ending: Source.Ending) {
        let (source, other, started) = (Source(), Future<Int>(), Log<Int>())
        let input = source.future
        let all = (0..<10).traverse(maxConcurrent: 2, context: immediate) { index in
            started.add(index)
            return index == 0 ? input : other
        }
        source.end(ending)
        #expect(all.ended == ending.passedOn(success: .pending))
        #expect(other.observerCount == 0)
        other.success(1)
        #expect(started.all == [0, 1])
    }

    @Test(arguments: [false, true])
    func `a token cancels the result, and the closure is not called any more`(inClosure: Bool) {
        let (work, token) = (Work(4), CancelToken())
        let all = (0..<4).traverse(maxConcurrent: 1, context: immediate, cancelToken: token) { index in
            work.started.add(index)
            if inClosure { token.cancel() }
            return work.futures[index]
        }
        if !inClosure {
            work.succeed(0)
            token.cancel()
        }
        #expect(all.ended == .cancelled)
        // The futures of the closure go on.
        #expect(!work.futures[0].isCancelled && !work.futures[1].isCancelled)
        work.succeed(inClosure ? 0 : 1)
        #expect(work.started.all == (inClosure ? [0] : [0, 1]))
    }

    @Test func `under a canceled token the result is canceled at once, without elements and in a callback too`() {
        let (token, seen) = (CancelToken(), Log<Bool>())
        token.cancel()
        Future(value: 1).onSuccess(context: immediate) { _ in
            for elements in [[], [1]] {
                seen.add(elements.traverse(maxConcurrent: 1, cancelToken: token) { Future(value: $0) }.isCancelled)
            }
        }
        #expect(seen.all == [true, true])
    }

    @Test func `a token that is canceled between two futures cancels the result`() {
        let (context, work, token) = (ManualContext(), Work(3), CancelToken())
        let all = (0..<3).traverse(maxConcurrent: 1, context: context, cancelToken: token) { work.futures[$0] }
        context.run()
        // Before the next future is asked for.
        work.futures[0].onSuccess(context: immediate) { _ in token.cancel() }
        work.succeed(0)
        context.run()
        #expect(all.ended == .cancelled)
    }

    @Test func `a dispatched closure that has not begun is not called after a failure`() {
        let (context, work) = (ManualContext(), Work(4))
        let all = work.traverse(2, on: context)
        context.run()
        work.succeed(0)
        work.futures[1].failure(Oops.source)
        context.run()
        #expect(work.started.all == [0, 1])
        #expect(all.ended == .failure(Oops.source))
    }

    // `ManyInputsTests` tests the release of the closure.
    @Test(arguments: [Source.Ending.success, .failure, .cancellation])
    func `elements are released after a failure or a cancellation, or when all is done`(_ ending: Source.Ending) {
        let (work, token) = (Work(2), CancelToken())
        var all: Future<[Int]>?
        let watch = Watch { probe in
            let elements = [(0, probe), (1, probe), (1, probe)]
            all = elements.traverse(maxConcurrent: 2, context: immediate, cancelToken: token) { index, _ in
                work.futures[index]
            }
        }
        #expect(!watch.isReleased)
        switch ending {
        case .success: work.succeed(0, 1)
        case .failure: work.futures[0].failure(Oops.source)
        default: token.cancel()
        }
        #expect(watch.isReleased)
        let ends: [Source.Ending: Outcome<[Int]>] = [.success: .success([0, 1, 1]), .failure: .failure(Oops.source)]
        #expect(all?.ended == ends[ending] ?? .cancelled)
        #expect(work.futures[1].observerCount == 0)
        #expect(token.registrationCount == 0)
    }
}
