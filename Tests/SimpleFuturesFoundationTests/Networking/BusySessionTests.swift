import Foundation
import SimpleFutures
@testable import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Busy and background sessions", .watchdog) struct BusySessionTests {
    // In a separate process, because on Linux all sessions share the queue that is blocked.
    @Test func `canceling a transfer does not wait for the session`() async {
        await #expect(processExitsWith: .success) {
            let server = HTTPServer { _ in .silence }
            for (number, transfer) in Transfer.all.enumerated() {
                let (test, token) = (TestSession(protocols: [BlockingProtocol.self]), CancelToken())
                let end = transfer.begin(test.session, server.request(method: "POST"), token)
                try await server.waitUntil { $0.requests.count == number + 1 }
                let blocked = test.session.dataFuture(from: BlockingProtocol.url)
                precondition(BlockingProtocol.hasBegun.pass())
                let isPrompt = returns { token.cancel() }
                precondition(isPrompt && end.isCancelled, "\(transfer)")
                BlockingProtocol.mayEnd.open()
                _ = await blocked.outcome
                try await server.waitForClientClose(number + 1)
            }
        }
    }

    // Foundation has background sessions on Apple's systems only.
    @Test func `a background session is refused, with an error that names it`() async {
        let error = URLError(inBackgroundSession: "photos")
        #expect(error.localizedDescription.contains("photos is a background session"))
        #if canImport(Darwin)
        let session = URLSession(configuration: .background(withIdentifier: "photos"))
        let request = URLRequest(url: URL(string: "https://example.com")!)
        for transfer in Transfer.all {
            #expect(await transfer.begin(session, request, .none).outcome.error as? URLError == error, "\(transfer)")
        }
        #endif
    }
}

/// Blocks the queue on which a session on Linux begins, reads and cancels its tasks, until a test lets it go on.
///
/// Transfers that are faster than the session keep that queue busy for seconds.
private final class BlockingProtocol: URLProtocol {
    static let url = URL(string: "blocking:session")!
    static let hasBegun = Signal()
    static let mayEnd = Signal()

    override class func canInit(with request: URLRequest) -> Bool { request.url == url }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        Self.hasBegun.open()
        _ = Self.mayEnd.pass()
        client?.urlProtocol(self, didFailWithError: URLError(.unsupportedURL))
    }

    override func stopLoading() {}
}
