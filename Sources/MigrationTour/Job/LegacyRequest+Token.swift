import SimpleFutures

// Two ways to stop a call: the legacy API's request, and the library's token.

extension LegacyRequest {
    /// Has the token stop the call.
    ///
    /// The call still answers, when all that it has opened is closed, and its future waits for that answer. A future of
    /// `future(cancelToken:method:)` would not wait; that is right for a call that holds nothing of which there is little.
    func stop(by token: CancelToken) { token.onCancel(cancel) }

    /// A call that a token stops, for callers who know requests.
    init(cancelling token: CancelToken) {
        self.init { token.cancel() }
    }
}
