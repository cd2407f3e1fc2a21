import SimpleFutures
@testable import TestSupport

/// The response to one request, decided by the test, before the request or after.
final class LateResponse: Sendable {
    private struct State {
        var response: HTTPResponse?
        var send: (@Sendable (HTTPResponse) -> Void)?
    }

    private let state = Lock(State())

    init() {}

    /// Answers; only the first answer counts.
    func send(_ response: HTTPResponse) {
        state.withLock { state -> (@Sendable (HTTPResponse) -> Void)? in
            guard state.response == nil else { return nil }
            state.response = response
            return state.send
        }?(response)
    }

    /// Names what takes the answer, now or later.
    func attach(_ send: @escaping @Sendable (HTTPResponse) -> Void) {
        let response = state.withLock { state in
            state.send = send
            return state.response
        }
        if let response { send(response) }
    }
}
