import SimpleFuturesInterop

/// Lets a token cancel a request: stages 2 and 3 pass it to `future(cancelToken:onCancel:method:)`.
extension LegacyRequest: CancellableHandle {}
