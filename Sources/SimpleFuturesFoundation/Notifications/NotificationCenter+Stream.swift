public import Foundation
public import SimpleFutures
import SimpleFuturesInterop

extension NotificationCenter {
    /// Returns a stream of values that a closure extracts from notifications.
    ///
    ///     let heights = NotificationCenter.default
    ///         .notifications(named: UIResponder.keyboardWillShowNotification, capacity: 0) {
    ///             ($0.userInfo?[UIResponder.keyboardFrameEndUserInfoKey] as? CGRect)?.height
    ///         }
    ///     heights.onSuccess(isolated: { [weak self] in self?.bottom = $0 })
    ///     // or: for try await height in heights.values { … }
    ///
    /// Notifications are not sent between threads, because they may contain anything; the closure extracts the
    /// `Sendable` part.
    ///
    /// With a replay buffer the observer is added by this call, otherwise for the first subscriber. It is removed when
    /// the last subscriber has left, and added again for the next one. It is removed for good with the token, or when
    /// the stream is released and has no subscribers. Once a callback is registered or an iterator is created, no
    /// notification is missed, unless another thread was adding or removing the observer at that moment; then that
    /// thread adds it afterwards.
    ///
    /// - Parameters:
    ///   - name: The name of the notifications.
    ///   - object: The sender of the notifications; nil for all senders. It is not kept alive: after its release, no
    ///     notification is received, nor one that it posts in its `deinit`. The subscribers of that time stay; when all
    ///     have left, the next one finishes the stream.
    ///   - capacity: The number of newest elements to replay to later subscribers. It must not be negative.
    ///   - cancelToken: Removes the observer and cancels the stream.
    ///   - transform: Runs on the posting thread, during the post, once for each notification. Nil skips the
    ///     notification. If it throws, the error is a failure, and the stream continues.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    public func notifications<T: Sendable>(
        named name: Notification.Name, object: (any AnyObject & Sendable)? = nil, capacity: Int,
        cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line,
        transform: @escaping @Sendable (Notification) throws -> T?
    ) -> FutureStream<T> {
        let center = Shared(self)
        let wantsAll = object == nil
        return FutureStream(
            capacity: capacity, cancelToken: cancelToken, context: ImmediateContext(), fileID: fileID, line: line
        ) {
            [weak object] emitter -> CancelAction? in
            guard wantsAll || object != nil else {
                emitter.finish()
                return nil
            }
            let observer = center.value.addObserver(forName: name, object: object, queue: nil) {
                [weak object] notification in
                // After its release the sender is another object at its address.
                guard wantsAll || object != nil else { return }
                do {
                    if let value = try transform(notification) { emitter.success(value) }
                } catch {
                    emitter.failure(error)
                }
            }
            let shared = Shared(observer)
            return CancelAction { center.value.removeObserver(shared.value) }
        }
    }
}
