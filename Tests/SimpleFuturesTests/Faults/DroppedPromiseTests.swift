import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Programmer errors: dropped promises", .watchdog, .serialized)
struct DroppedPromiseTests {
    /// Where the last reference to a promise is released.
    enum Spot: String, CaseIterable, CustomTestStringConvertible {
        case beforeDeriving, afterDeriving, inCallback, inFlatMap, inRecoverWith, asSource, inElement, asInput

        var testDescription: String { rawValue }
    }

    @Test(arguments: Spot.allCases)
    func `a promise dropped anywhere fails its waiters with its creation site, and is reported`(
        _ spot: Spot
    ) {
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
        case .inElement:
            let stream = FutureStream<Promise<Int>>(capacity: 0)
            if let promise = kept.change({ $0.take() }) { stream.success(promise) }
            return future
        case .asInput:
            let all = [Future(value: 1), future].sequence().map(context: immediate) { $0[0] }
            kept.value = nil
            return all
        }
    }
}

@Suite("Programmer errors: tokens and deinit", .watchdog)
struct TokenFaultTests {
    /// An object that registers callbacks on its futures when it is released.
    private final class Owner: Sendable {
        let future = Future<Int>()
        let promise = Promise<Int>()
        let stream = FutureStream<Int>()
        let token = CancelToken()
        let heard: Log<String>

        init(_ heard: Log<String>) { self.heard = heard }

        deinit {
            let heard = heard
            future.onFailure(context: immediate) { _ in heard.add("future broken") }
            promise.future.onFailure(context: immediate) { _ in heard.add("promise broken") }
            stream.onFinish(context: immediate) { heard.add("stream finished") }
            token.onCancel { heard.add("never") }
            _ = future.map(context: immediate, cancelToken: token) { $0 }
        }
    }

    @Test func `a callback registered in a deinit gets the result`() {
        let heard = Log<String>()
        do { _ = Owner(heard) }
        #expect(Set(heard.all) == ["future broken", "promise broken", "stream finished"])
    }
}
