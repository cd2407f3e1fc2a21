public import SimpleFutures

/// Runs an asynchronous closure with a token that is canceled with the task: for calls that take tokens.
///
///     let page = try await withCancelToken { token in
///         try await client.load(url, cancelToken: token).value(cancelling: token)
///     }
///
/// The token is canceled in the runtime's cancellation handler: its state changes at once, and its registrations and
/// handlers are processed on a Dispatch thread right afterwards. If the task is already canceled, so is the token. When
/// the closure has returned, the token is no longer linked to the task and is not canceled.
///
/// - Parameters:
///   - isolation: The caller's actor. Leave it out.
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
            // A closure that does not mention the actor would leave it.
            _ = isolation
            return try await body(token)
        } onCancel: {
            token.cancelFromHandler()
        }
    } catch {
        // The closure throws nothing else; the runtime's function is not declared with a typed throw.
        throw error as! Failure
    }
}
