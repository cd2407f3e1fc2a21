#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking

/// The delegate of a session for one transfer.
///
/// It forwards redirections and challenges to the delegate of the user's session.
final class BodySessionDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    // Sendable: everything is constant, and a session calls its delegate on one queue.

    private let transfer: BodyTransfer
    private let other: (any URLSessionDelegate)?

    init(_ transfer: BodyTransfer, _ other: (any URLSessionDelegate)?) {
        self.transfer = transfer
        self.other = other
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        transfer.urlSession(
            session, dataTask: dataTask, didReceive: response, completionHandler: completionHandler)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        transfer.urlSession(session, dataTask: dataTask, didReceive: data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        transfer.urlSession(session, task: task, didCompleteWithError: error)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        let answer: @Sendable (URLRequest?) -> Void = { [transfer] request in
            transfer.ifRunning { completionHandler(request) }
        }
        guard let other = other as? any URLSessionTaskDelegate else { return answer(request) }
        other.urlSession(
            session, task: task, willPerformHTTPRedirection: response, newRequest: request, completionHandler: answer)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let other = other as? any URLSessionTaskDelegate else {
            return completionHandler(.performDefaultHandling, nil)
        }
        other.urlSession(session, task: task, didReceive: challenge, completionHandler: completionHandler)
    }
}
#endif
