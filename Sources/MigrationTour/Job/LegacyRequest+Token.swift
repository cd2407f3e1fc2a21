import SimpleFutures

// Two ways to stop a call: the legacy API's request, and the library's token.

extension LegacyRequest {
    /// Has the token stop the call.
    ///
    /// The call still answers, when all that it has opened is closed; and its future waits for that answer.
    func stop(by token: CancelToken) { token.onCancel(cancel) }

    /// A call that a token stops, for callers who know requests.
    init(cancelling token: CancelToken) {
        self.init { token.cancel() }
    }
}
