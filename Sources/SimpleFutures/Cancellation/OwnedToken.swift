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
/// It takes the place of a token and of `deinit { token.cancel() }`. Keep it in a constant of the owner and hand out its
/// ``token``. Closures under the token should hold the owner weakly: one that holds it keeps it alive until it has run,
/// and with it the token.
public final class OwnedToken: Sendable {
    /// The token, which may be kept longer than this object.
    public let token: CancelToken

    /// Creates one whose token is canceled when it is released.
    ///
    /// - Parameter parent: Cancels the token too.
    public init(parent: CancelToken = .none) { token = parent == .none ? CancelToken() : parent.child() }

    deinit { token.cancel() }

    /// Cancels the token now.
    public func cancel() { token.cancel() }
}
