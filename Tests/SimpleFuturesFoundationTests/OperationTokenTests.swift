import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Operations under a token that was cancelled before", .watchdog)
struct OperationTokenTests {
    @Test func `a token that was cancelled before cancels the operation`() {
        let token = CancelToken()
        token.cancel()
        let operation = BlockOperation {}
        #expect(operation.finished(cancelToken: token).isCancelled)
        #expect(operation.isCancelled)
    }

    @Test func `a token that was cancelled before cancels the operation that the queue gets`() async {
        let (queue, token, ran) = (OperationQueue(), CancelToken(), Box(false))
        token.cancel()
        let operation = BlockOperation { ran.value = true }
        let result = queue.run(operation, cancelToken: token) { _ in 1 }
        #expect(result.isCancelled)
        await until { operation.isFinished }
        #expect(operation.isCancelled && !ran.value)
    }
}
