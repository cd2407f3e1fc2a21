import SimpleFutures
import Testing
@testable import TestSupport

@Suite("CancelToken.none", .watchdog)
struct CancelTokenNoneTests {
    @Test func `canceling it has no effect`() {
        let future = Future<Int>()
        let derived = future.map(context: immediate, cancelToken: .none) { $0 }
        CancelToken.none.cancel()
        #expect(!CancelToken.none.isCancelled)
        future.success(1)
        #expect(derived.ended == .success(1))
    }

    @Test func `canceling it on a future has no effect`() {
        let future = Future<Int>()
        let derived = future.map(context: immediate) { $0 }
        #expect(!future.cancel(.none))
        future.success(1)
        #expect(derived.ended == .success(1))
    }

    @Test func `it holds nothing`() {
        let future = Future<Int>()
        let watch = Watch { probe in
            future.onSuccess(context: immediate, cancelToken: .none) { _ in probe.use() }
        }
        #expect(CancelToken.none.registrationCount == 0)
        future.success(1)
        #expect(watch.isReleased)
    }

    @Test func `it does not keep handlers`() {
        let log = Log<Void>()
        let watch = Watch { probe in
            let registration = CancelToken.none.onCancel {
                probe.use()
                log.add(())
            }
            #expect(!registration.cancel())
        }
        CancelToken.none.cancel()
        #expect(log.count == 0)
        #expect(watch.isReleased)
        #expect(CancelToken.none.registrationCount == 0)
    }
}
