import SimpleFutures
import Testing
@testable import TestSupport

@Suite("futureStream(_:), futureStream(context:), FutureStream(resolver:)", .watchdog)
struct StreamMakingTests {
    private static func thrower() throws -> Int { throw Oops.thrown }

    @Test func `an expression is evaluated at once into one element and a finish`() {
        let stream = futureStream(1 + 1)
        #expect(stream.state == [2, .finish])
        #expect(futureStream(try Self.thrower()).state == [.failure(Oops.thrown), .finish])
        #expect(stream.heard().all == [2, .finish])
    }

    @Test func `a closure runs on its context, once`() {
        let context = ManualContext()
        let runs = Log<Int>()
        let stream = futureStream(context: context) {
            runs.add(1)
            return 7
        }
        #expect(stream.state == [])
        context.run()
        #expect(stream.state == [7, .finish])
        #expect(runs.count == 1)
        let failed = futureStream(context: immediate) { try Self.thrower() }
        #expect(failed.state == [.failure(Oops.thrown), .finish])
    }

    @Test func `a dropped closure breaks the stream`() {
        #expect(futureStream(context: DroppingContext()) { 1 }.state == [.broken, .finish])
    }

    @Test func `an unannotated trailing closure without parameters is run`() async {
        let stream = futureStream { 7 }
        let same: FutureStream<Int> = stream
        let first = Future<Int>()
        first.completeWith(stream: same)
        #expect(await first.end() == .success(7))
    }

    @Test func `a resolver gets the completion handler, and releasing that finishes the stream`() {
        var emit: (@Sendable (Try<Int>) -> Void)?
        let stream = FutureStream<Int>(capacity: 2) { block in
            block(.success(1))
            emit = block
        }
        emit?(.failure(Oops.other))
        emit?(.success(2))
        #expect(stream.state == [.failure(Oops.other), 2])
        #expect(!stream.isFinished)
        emit = nil
        #expect(stream.state == [.failure(Oops.other), 2, .finish])
    }

    @Test func `an error thrown by a resolver is an element`() {
        var kept: (@Sendable (Try<Int>) -> Void)?
        let stream = FutureStream<Int> { block in
            block(.success(1))
            kept = block
            throw Oops.thrown
        }
        kept?(.success(2))
        kept = nil
        #expect(stream.state == [1, .failure(Oops.thrown), 2, .finish])
    }

    @Test func `a completion handler called after finish is reported with its source location`() {
        Reports.during { reports in
            let site = CreationSite(fileID: "Making/resolver", line: 3)
            var emit: (@Sendable (Try<Int>) -> Void)?
            let stream = FutureStream<Int>(fileID: "Making/resolver", line: 3) { emit = $0 }
            stream.finish()
            emit?(.success(1))
            #expect(reports.about(site) == [.emittedAfterFinish(createdAt: site)])
            #expect(stream.state == [.finish])
        }
    }

    @Test func `the completion handler keeps the stream working, but not its replay buffer`() {
        let log = Log<Int>()
        var emit: (@Sendable (Try<Probe>) -> Void)?
        FutureStream<Probe> { emit = $0 }.onSuccess(context: immediate) { _ in log.add(1) }
        let watch = Watch { emit?(.success($0)) }
        #expect(log.count == 1)
        #expect(watch.isReleased)
        #expect(emit != nil)
    }
}
