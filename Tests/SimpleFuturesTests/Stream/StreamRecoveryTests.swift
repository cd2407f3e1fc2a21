import SimpleFutures
import Testing
@testable import TestSupport

@Suite("FutureStream: recover, recoverWith, mapError", .watchdog)
struct StreamRecoveryTests {
    private let source = FutureStream<Int>()

    @Test func `recover replaces a failure by the value that its closure returns`() {
        let derived = source.recover(context: immediate) { error in
            guard error as? Oops == .source else { throw Oops.thrown }
            return 7
        }
        source.success(1)
        source.failure(Oops.source)
        source.failure(Oops.other)
        source.success(2)
        source.finish()
        #expect(derived.state == [1, 7, .failure(Oops.thrown), 2, .finish])
    }

    @Test func `values and recovered failures keep their order on a context`() {
        let context = ManualContext()
        let derived = source.recover(context: context) { _ in 7 }
        for value in 1...3 {
            source.success(value)
            source.failure(Oops.source)
        }
        source.finish()
        context.run()
        #expect(derived.state == [1, 7, 2, 7, 3, 7, .finish])
    }

    @Test func `recoverWith emits the results of its futures, and finishes after the last one`() {
        let futures = [Future<Int>(), Future<Int>(), Future<Int>()]
        let next = Box(0)
        let derived = source.recoverWith(context: immediate) { _ -> Future<Int> in
            futures[
                next.change { next in
                    defer { next += 1 }
                    return next
                }]
        }
        for _ in 0..<3 { source.failure(Oops.source) }
        source.success(1)
        source.finish()
        #expect(derived.state == [1])
        futures[1].success(2)
        futures[0].failure(Oops.other)
        #expect(!derived.isFinished)
        futures[2].success(3)
        #expect(derived.state == [1, 2, .failure(Oops.other), 3, .finish])
    }

    @Test func `recoverWith emits the elements of its streams, and finishes after the last one`() {
        let inner = FutureStream<Int>()
        let derived = source.recoverWith(context: immediate) { _ in inner }
        source.success(1)
        inner.success(2)
        source.failure(Oops.source)
        inner.success(3)
        source.success(4)
        source.finish()
        inner.failure(Oops.other)
        #expect(!derived.isFinished)
        inner.finish()
        #expect(derived.state == [1, 2, 3, 4, .failure(Oops.other), .finish])
    }

    @Test func `an error thrown by recoverWith is a failure, and the stream continues`() {
        let toFutures = source.recoverWith(context: immediate) { _ -> Future<Int> in throw Oops.thrown }
        let toStreams = source.recoverWith(context: immediate) { _ -> FutureStream<Int> in throw Oops.thrown }
        source.failure(Oops.source)
        source.success(1)
        source.finish()
        #expect(toFutures.state == [.failure(Oops.thrown), 1, .finish])
        #expect(toStreams.state == [.failure(Oops.thrown), 1, .finish])
    }

    @Test func `a failure of recoverWith's future or stream is not recovered again`() {
        let runs = Log<Void>()
        let derived = source.recoverWith(context: immediate) { _ in
            runs.add(())
            return Future<Int>(error: Oops.other)
        }
        source.failure(Oops.source)
        #expect(derived.state == [.failure(Oops.other)])
        #expect(runs.count == 1)
    }

    @Test func `mapError replaces the error of each failure`() {
        let derived = source.mapError(context: immediate) { $0 as? Oops == .source ? Oops.other : $0 }
        source.failure(Oops.source)
        source.success(1)
        source.failure(Oops.thrown)
        source.finish()
        #expect(derived.state == [.failure(Oops.other), 1, .failure(Oops.thrown), .finish])
    }

    @Test func `recovery does not apply to cancellation`() {
        let token = CancelToken()
        let cancelled = source.map(context: immediate, cancelToken: token) { $0 }
        let runs = Log<Void>()
        let derived = cancelled.recover(context: immediate) { _ in
            runs.add(())
            return 1
        }
        token.cancel()
        #expect(derived.state == [.cancel])
        #expect(runs.count == 0)
    }
}
