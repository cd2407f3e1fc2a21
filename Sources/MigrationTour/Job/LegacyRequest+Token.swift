import SimpleFutures
import SimpleFuturesInterop

// Two ways to stop a call: the legacy API's request, and the library's token.

extension LegacyRequest {
    /// What `future(cancelToken:onCancel:method:)` cancels.
    ///
    /// The call still answers, when all that it has opened is closed; hence `onCancel: .wait`. A future that does not
    /// wait is right for a call that holds nothing of which there is little.
    var handle: CancelAction { CancelAction(cancel) }

    /// Has the token stop the call.
    func stop(by token: CancelToken) { token.onCancel(cancel) }

    /// A call that a token stops, for callers who know requests.
    init(cancelling token: CancelToken) {
        self.init { token.cancel() }
    }
}
