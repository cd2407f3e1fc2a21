public import SimpleFutures

/// Runs an asynchronous closure with a token that is canceled when the task is: for calls that take tokens, in code of
/// tasks.
///
///     let page = try await withCancelToken { token in
///         try await browser.load(url, cancelToken: token).value(cancelling: token)
///     }
///
/// The token is canceled inside the runtime's cancellation handler: its state changes at once; what it detaches and
/// its handlers run on a thread of Dispatch right afterwards. If the task is canceled already, so is the token. When
/// the closure has returned the token is an ordinary one, which the task does not cancel any more; that it returns does
/// not cancel it.
///
/// - Parameters:
///   - isolation: The caller's actor: leave it out.
///   - body: Runs once, on the caller's actor.
/// - Returns: The closure's result.
/// - Throws: The closure's error.
public func withCancelToken<Result, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (CancelToken) async throws(Failure) -> Result
) async throws(Failure) -> Result {
    let token = CancelToken()
    do {
        return try await withTaskCancellationHandler {
            // A closure that does not name the actor would leave it.
            _ = isolation
            return try await body(token)
        } onCancel: {
            token.cancelFromHandler()
        }
    } catch {
        // Nothing else throws; the runtime's function does not say which errors it passes on.
        throw error as! Failure
    }
}
