import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Programmer errors: dropped promises", .watchdog, .serialized)
struct DroppedPromiseTests {
    /// Where the last reference to a promise is released.
    enum Spot: String, CaseIterable, CustomTestStringConvertible {
        case beforeDeriving, afterDeriving, inCallback, inOwnCallbackOfSource, inResolver, inFlatMap, inRecoverWith
        case asSource, inTokenHandler, inDeinit, inElement, onQueue, asInput

        var testDescription: String { rawValue }
    }

    @Test(arguments: Spot.allCases)
    func `a promise dropped anywhere fails its waiters with its creation site, and is reported`(
        _ spot: Spot
    ) async {
        let file: StaticString = "Faults/dropped"
        let site = CreationSite(fileID: file, line: 7)
        Reports.during { log in
            let future = derive(spot) { Promise(fileID: file, line: 7) }
            #expect(future.result?.error as? FuturesError == .brokenPromise(createdAt: site))
            #expect(log.about(site) == [.brokenPromise(createdAt: site)])
        }
    }

    private func derive(_ spot: Spot, _ make: @escaping @Sendable () -> Promise<Int>) -> Future<Int> {
        let kept = Box<Promise<Int>?>(make())
        let future = kept.value?.future ?? Future()
        switch spot {
        case .beforeDeriving:
            kept.value = nil
            return future.map(context: immediate) { $0 }
        case .afterDeriving:
            let derived = future.map(context: immediate) { $0 }
            kept.value = nil
            return derived
        case .inCallback:
            Future(value: 1).onSuccess(context: immediate) { _ in kept.value = nil }
            return future
        case .inOwnCallbackOfSource:
            let source = Future<Int>()
            source.onSuccess(context: immediate) { _ in kept.value = nil }
            let derived = source.flatMap(context: immediate) { _ in future }
            source.success(1)
            return derived
        case .inResolver: return Future { _ in kept.value = nil }.recoverWith(context: immediate) { _ in future }
        case .inFlatMap:
            kept.value?.success(1)
            return future.flatMap(context: immediate) { _ in make().future }
        case .inRecoverWith:
            kept.value?.failure(Oops.other)
            return future.recoverWith(context: immediate) { _ in make().future }
        case .asSource:
            let target = Promise<Int>()
            target.completeWith(future: future)
            kept.value = nil
            return target.future
        case .inTokenHandler:
            let token = CancelToken()
            token.onCancel { kept.value = nil }
            token.cancel()
            return future
        case .inDeinit:
            do { AtDeinit { kept.value = nil }.use() }
            return future
        case .inElement:
            let stream = FutureStream<Promise<Int>>(capacity: 0)
            if let promise = kept.change({ $0.take() }) { stream.success(promise) }
            return future
        case .onQueue:
            DispatchQueue(label: "dropping").sync { kept.value = nil }
            return future
        case .asInput:
            let all = [Future(value: 1), future].sequence().map(context: immediate) { $0[0] }
            kept.value = nil
            return all
        }
    }

    @Test func `a dropped promise counts as a failure in combined futures`() {
        let broken = Promise<Int>().future
        #expect([broken, Future(value: 1)].firstSucceeded().ended == .success(1))
        #expect([broken].firstSucceeded().ended == .failure(FuturesError.noSuchElement))
        #expect([Future(value: 1), broken].settled().result?.value?.map { Outcome($0) } == [.success(1), .broken])
        #expect([Future(value: 1), broken].firstCompleted().ended == .success(1))
    }

    @Test
    func `a dropped stream promise finishes its stream, and waits for an element fail with noSuchElement`() {
        var promise: StreamPromise<Int>? = StreamPromise()
        let heard = promise?.stream.heard()
        let first = Future<Int>()
        if let stream = promise?.stream { first.completeWith(stream: stream) }
        promise = nil
        #expect(heard?.all == [.finish])
        #expect(first.ended == .failure(FuturesError.noSuchElement))
    }
}
