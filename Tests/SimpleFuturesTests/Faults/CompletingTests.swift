import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Programmer errors: completing", .watchdog, .serialized)
struct CompletingTests {
    @Test func `a completion handler called with neither a value nor an error is reported`() {
        Reports.during { log in
            let site = CreationSite(fileID: "Faults/neither", line: 1)
            let made: Future<Int> = future(
                method: {
                    (done: @escaping @Sendable (Int?, (any Error)?) -> Void) in
                    done(nil, nil)
                    done(nil, nil)
                }, fileID: "Faults/neither", line: 1)
            #expect(made.ended == .failure(FuturesError.invalidCompletion))
            #expect(log.about(site) == [.blockCalledWithNeither(createdAt: site), .blockCalledTwice(createdAt: site)])
            let other = CreationSite(fileID: "Faults/stream of neither", line: 1)
            let stream: FutureStream<Int> = futureStream(
                capacity: 2,
                method: {
                    (emit: @escaping @Sendable (Int?, (any Error)?) -> Void) in
                    emit(nil, nil)
                    emit(1, nil)
                }, fileID: "Faults/stream of neither", line: 1)
            #expect(stream.state == [.failure(FuturesError.invalidCompletion), 1, .finish])
            #expect(log.about(other) == [.blockCalledWithNeither(createdAt: other)])
        }
    }

    @Test(arguments: [true, false])
    func `after the method has thrown, a call too many of its handler is reported`(_ isCalledBefore: Bool) {
        Reports.during { log in
            let site = CreationSite(fileID: "Faults/thrown", line: isCalledBefore ? 1 : 2)
            let handler = Box<(@Sendable (Int) -> Void)?>(nil)
            let made: Future<Int> = future(
                method: { (done: @escaping @Sendable (Int) -> Void) in
                    if isCalledBefore { done(1) }
                    handler.value = done
                    throw Oops.source
                }, fileID: "Faults/thrown", line: isCalledBefore ? 1 : 2)
            #expect(made.ended == (isCalledBefore ? .success(1) : .failure(Oops.source)))
            handler.value?(2)
            #expect(log.about(site).count == (isCalledBefore ? 1 : 0))
            handler.value?(3)
            #expect(log.about(site).last == .blockCalledTwice(createdAt: site))
            handler.value = nil
        }
    }

    @Test func `a promise or future told to complete with itself fails at once, and a later result is ignored`() {
        Reports.during { log in
            let site = CreationSite(fileID: "Faults/itself", line: 1)
            let promise = Promise<Int>(fileID: "Faults/itself", line: 1)
            promise.completeWith(future: promise.future)
            #expect(promise.future.result?.error as? FuturesError == .invalidCompletion)
            promise.success(1)
            #expect(promise.future.ended == .failure(FuturesError.invalidCompletion))
            #expect(log.about(site) == [.completedWithItself(createdAt: site), .completedTwice(createdAt: site)])
            let future = Future<Int>()
            future.completeWith(future: future)
            #expect(future.ended == .failure(FuturesError.invalidCompletion))
        }
    }

    @Test func `a stream told to complete with itself gets an invalidCompletion error, is reported and stays open`() {
        Reports.during { log in
            let site = CreationSite(fileID: "Faults/stream itself", line: 1)
            let promise = StreamPromise<Int>(fileID: "Faults/stream itself", line: 1)
            promise.completeWith(stream: promise.stream)
            let error = promise.stream.futures.first?.result?.error as? FuturesError
            #expect(error == .invalidCompletion)
            #expect(error?.description.contains("complete with itself") == true)
            promise.success(1)
            promise.finish()
            promise.completeWith(stream: promise.stream)
            #expect(promise.stream.state == [.failure(FuturesError.invalidCompletion), 1, .finish])
            #expect(log.about(site) == [.completedWithItself(createdAt: site), .emittedAfterFinish(createdAt: site)])
            let stream = FutureStream(value: 1)
            stream.completeWith(stream: stream)
            stream.success(2)
            #expect(stream.state == [1, .failure(FuturesError.invalidCompletion), 2])
        }
    }

    @Test func `a future's closure that returns the stream which it makes gets an invalidCompletion error`() {
        Reports.during { log in
            let (source, box) = (Promise<Int>(), Box<FutureStream<Int>?>(nil))
            let made: FutureStream<Int> = source.future.flatMap(capacity: 1, context: immediate) { _ in box.value! }
            box.value = made
            source.success(0)
            #expect(made.state == [.failure(FuturesError.invalidCompletion), .finish])
            box.value = nil
        }
    }

    @Test func `a stream can be completed with one that waits for a future`() {
        let (source, target, inner) = (FutureStream<Int>(), FutureStream<Int>(), Future<Int>())
        let flattened = source.flatMap(context: immediate) { _ in inner }
        source.success(1)
        let heard = target.heard()
        target.completeWith(stream: flattened)
        inner.success(2)
        #expect(heard.all == [2])
    }

    @Test func `elements emitted in onFinish are dropped and reported, and elements emitted in onCancel are dropped`() {
        Reports.during { log in
            let site = CreationSite(fileID: "Faults/finish", line: 1)
            let promise = StreamPromise<Int>(fileID: "Faults/finish", line: 1)
            let heard = promise.stream.heard()
            promise.stream.onFinish(context: immediate) { promise.success(2) }
            promise.success(1)
            promise.finish()
            #expect(heard.all == [1, .finish])
            #expect(log.about(site) == [.emittedAfterFinish(createdAt: site)])

            let source = Emitter()
            source.stream.onCancel(context: immediate) { [weak stream = source.stream] in stream?.success(3) }
            source.end(.cancellation)
            #expect(source.stream.state == [.cancel])
        }
    }
}

/// Errors thrown by closures, except those of futures' combinators, which `FutureCombinatorTests` covers.
@Suite("Programmer errors: closures that throw", .watchdog)
struct ThrowingTests {
    @Test(arguments: StreamCombinator.all.filter { $0.canThrow })
    func `an error thrown by a stream's closure is an element, and the stream continues`(_ combinator: StreamCombinator)
    {
        let source = FutureStream<Int>()
        let derived = combinator.apply(to: source) { given in if given.value ?? 2 == 2 { throw Oops.thrown } }
        source.success(1)
        if combinator.runs == .error { source.failure(Oops.source) } else { source.success(2) }
        source.success(3)
        source.finish()
        #expect(derived.state == [1, .failure(Oops.thrown), 3, .finish])
    }

    @Test func `an error thrown during the creation of a stream is an element`() {
        let failed: [FutureStream<Int>] = [
            futureStream(try Self.fail()),
            futureStream(context: immediate) { try Self.fail() },
            FutureStream { _ in throw Oops.thrown },
            futureStream(capacity: 1, method: { (_: @escaping @Sendable (Int) -> Void) in throw Oops.thrown }),
        ]
        for (index, stream) in failed.enumerated() {
            #expect(stream.state == [.failure(Oops.thrown), .finish], "\(index)")
        }
    }

    private static func fail() throws -> Int { throw Oops.thrown }
}
