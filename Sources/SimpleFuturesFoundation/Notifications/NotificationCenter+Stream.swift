public import Foundation
public import SimpleFutures
import SimpleFuturesInterop

extension NotificationCenter {
    /// Returns a stream of what is of use in the notifications that are posted.
    ///
    ///     let insets = NotificationCenter.default
    ///         .notifications(named: .keyboardWillShow, capacity: 0) {
    ///             $0.userInfo?["height"] as? Double
    ///         }
    ///     insets.onSuccess(isolated: { self.bottom = $0 })
    ///     // or: for try await inset in insets.values { … }
    ///
    /// A notification itself does not cross threads, since it may carry anything; the closure takes out of it what
    /// does.
    ///
    /// The observer is added by this call if the stream keeps a history, otherwise by the first who subscribes. It is
    /// removed when the last one who gets elements has left, and added again for the next one; for good with the token,
    /// or when the stream is dropped and nothing is registered on it. A notification that is posted when a callback has
    /// been registered, or an iterator made, is not missed; unless another thread was adding or removing the observer
    /// at that moment, which then sees to it.
    ///
    /// - Parameters:
    ///   - name: Which notifications.
    ///   - object: Whose notifications; nil means everybody's. It is not kept alive: when it is gone, an observer is
    ///     added no more, and the stream finishes instead.
    ///   - capacity: The number of newest elements to replay to later subscribers. It must not be negative.
    ///   - cancelToken: Removes the observer and cancels the stream.
    ///   - transform: Runs on the thread that posts, inside of the post, once for each notification whoever listens.
    ///     Nil leaves the notification out; what it throws is a failure, and the stream goes on.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
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
            let observer = center.value.addObserver(forName: name, object: object, queue: nil) { notification in
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
