extension CancelToken {
    /// A token that is canceled when this one is, and that can be canceled alone.
    ///
    ///     func show(_ page: Page, until token: CancelToken) {
    ///         let images = token.child()
    ///         // This stops the images; `token` stops everything.
    ///         button.onClick { _ in images.cancel() }
    ///         …
    ///     }
    ///
    /// A child of a canceled token is canceled. Canceling the child leaves its parent alone. The parent holds a child
    /// only while the child is in use, so a long-lived parent can have any number of short-lived children. A handler of
    /// the child that captures the parent keeps both alive until one of them is canceled. A child of ``none`` is
    /// canceled only by its own ``cancel()``.
    public func child() -> CancelToken { CancelToken(anyOf: self) }

    /// Creates a token that is canceled as soon as any of several other tokens is.
    ///
    ///     let request = CancelToken(anyOf: token, CancelToken(after: .seconds(30)))
    ///
    /// It is canceled from the start if one of them is, and can be canceled alone. The other tokens hold no reference
    /// to it once it is canceled or no longer in use.
    ///
    /// - Parameter tokens: The tokens to follow. Without any, only ``cancel()`` cancels it.
    public convenience init(anyOf tokens: CancelToken...) { self.init(anyOf: tokens) }

    /// Creates a token that is canceled as soon as any token of a sequence is.
    ///
    /// - Parameter tokens: The others, as for ``init(anyOf:)-(CancelToken...)``.
    public convenience init(anyOf tokens: some Sequence<CancelToken>) {
        let storage = TokenStorage()
        self.init(storage: storage)
        for token in tokens { token.storage.map(storage.follow) }
    }

    /// Creates a token that is canceled after a given time, unless it is canceled earlier.
    ///
    ///     let token = CancelToken(after: .seconds(30))
    ///     let upload = client.upload(file, cancelToken: token)
    ///
    /// The timer is freed when the token is canceled earlier, or when nothing depends on it any more: the token is
    /// released and has no handlers and no dependent tokens left.
    ///
    /// - Parameters:
    ///   - duration: How long to wait. Zero or less means as soon as the context runs it.
    ///   - context: Waits and cancels, so handlers run there. A ``ManualContext`` needs no real time. If the
    ///     context drops the timer, the token has no deadline.
    public convenience init(after duration: Duration, context: any ExecutionContext = QueueContext.global) {
        let storage = TokenStorage()
        self.init(storage: storage)
        storage.follow(context.execute(after: duration) { storage.cancel() })
    }
}
