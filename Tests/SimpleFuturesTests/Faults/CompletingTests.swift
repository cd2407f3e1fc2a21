import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Programmer errors: completing", .watchdog, .serialized)
struct CompletingTests {
    @Test func `completing a future again in its own callback has no effect and is reported`() {
        Reports.during { log in
            let site = CreationSite(fileID: "Faults/callback", line: 1)
            let promise = Promise<Int>(fileID: "Faults/callback", line: 1)
            let seen = Log<Int>()
            promise.future.onSuccess(context: immediate) { [promise] value in
                seen.add(value)
                promise.success(value + 1)
                promise.failure(Oops.other)
            }
            promise.future.onSuccess(context: immediate) { seen.add($0) }
            promise.success(1)
            #expect(seen.all == [1, 1])
            #expect(promise.future.ended == .success(1))
            #expect(log.about(site) == [.completedTwice(createdAt: site), .completedTwice(createdAt: site)])
        }
    }

    @Test func `a completion handler called again in a callback of its own future is reported`() {
        Reports.during { log in
            let site = CreationSite(fileID: "Faults/block", line: 1)
            let block = Box<(@Sendable (Int) -> Void)?>(nil)
            let made: Future<Int> = future(
                method: {
                    (done: @escaping @Sendable (Int) -> Void) in
                    block.value = done
                }, fileID: "Faults/block", line: 1)
            made.onSuccess(context: immediate) { block.value?($0 + 1) }
            block.value?(1)
            block.value = nil
            #expect(made.ended == .success(1))
            #expect(log.about(site) == [.blockCalledTwice(createdAt: site)])
        }
    }

    @Test func `a completion handler that is never called leaves its future pending, and a timeout ends the wait`() {
        let clock = ManualContext()
        let block = Box<(@Sendable (Int) -> Void)?>(nil)
        let made: Future<Int> = future(method: { (done: @escaping @Sendable (Int) -> Void) in block.value = done })
        let late = made.timeout(.seconds(30), context: clock)
        clock.advance(by: .seconds(30))
        #expect(late.ended == .failure(FuturesError.timedOut))
        #expect(made.ended == .pending)
        block.value = nil
        #expect(made.ended == .broken)
    }

    @Test func `a stream told to complete with itself gets an invalidCompletion error, which is reported`() {
        Reports.during { log in
            let site = CreationSite(fileID: "Faults/stream itself", line: 1)
            let promise = StreamPromise<Int>(fileID: "Faults/stream itself", line: 1)
            promise.completeWith(stream: promise.stream)
            let error = promise.stream.futures.first?.result?.error as? FuturesError
            #expect(error == .invalidCompletion)
            #expect(error?.description.contains("complete with itself") == true)
            promise.finish()
            promise.completeWith(stream: promise.stream)
            #expect(log.about(site) == [.completedWithItself(createdAt: site), .emittedAfterFinish(createdAt: site)])
        }
    }

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
        }
    }

    @Test func `a stream's handler called with neither a value nor an error is reported`() {
        Reports.during { log in
            let site = CreationSite(fileID: "Faults/stream of neither", line: 1)
            let made: FutureStream<Int> = futureStream(
                capacity: 2,
                method: {
                    (emit: @escaping @Sendable (Int?, (any Error)?) -> Void) in
                    emit(nil, nil)
                    emit(1, nil)
                }, fileID: "Faults/stream of neither", line: 1)
            #expect(made.futures.map { $0.result?.value } == [nil, 1])
            #expect(log.about(site) == [.blockCalledWithNeither(createdAt: site)])
        }
    }

    @Test func `a promise told to complete with its own future fails at once, and a later result is ignored`() {
        Reports.during { log in
            let site = CreationSite(fileID: "Faults/itself", line: 1)
            let promise = Promise<Int>(fileID: "Faults/itself", line: 1)
            promise.completeWith(future: promise.future)
            #expect(promise.future.result?.error as? FuturesError == .invalidCompletion)
            promise.success(1)
            #expect(log.about(site) == [.completedWithItself(createdAt: site), .completedTwice(createdAt: site)])
        }
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

            let token = CancelToken()
            let source = FutureStream<Int>()
            let derived = source.map(context: immediate, cancelToken: token) { $0 }
            derived.onCancel(context: immediate) { [weak derived] in derived?.success(3) }
            token.cancel()
            #expect(derived.state == [.cancel])
        }
    }
}
