/// A token that is canceled when its owner is released.
///
///     @MainActor final class ProfileModel {
///         private let life = OwnedToken()
///         var name = ""
///
///         func load() {
///             client.profile().onSuccess(cancelToken: life.token, isolated: { [weak self] in self?.name = $0.name })
///         }
///     }
///
/// Use it instead of a token and `deinit { token.cancel() }`. Keep it in a constant of the owner and hand out its
/// ``token``. Pending closures must capture the owner weakly, or only what they need, such as `[client]`. A strong
/// capture keeps the owner alive until the closure has run, so the token is not canceled when a screen closes.
public final class OwnedToken: Sendable {
    /// The token.
    ///
    /// It can outlive this object.
    public let token: CancelToken

    /// Creates an owner whose token is canceled when the owner is released.
    ///
    /// - Parameter parent: Cancels the token too.
    public init(parent: CancelToken = .none) { token = parent == .none ? CancelToken() : parent.child() }

    deinit { token.cancel() }

    /// Cancels the token now.
    public func cancel() { token.cancel() }
}
