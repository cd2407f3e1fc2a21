/// A future or a stream, as seen by the thread that runs its callbacks.
///
/// Its callbacks wait in mailboxes. One thread at a time delivers a mailbox. ``Trampoline`` knows nothing else about
/// futures and streams: it starts a delivery, or defers it while another callback runs on the thread.
protocol DeliverySource: AnyObject {
    /// Delivers a mailbox until it is empty, another thread takes over, other callbacks come first, or the wait is over
    /// inside which it delivers.
    ///
    /// - Parameters:
    ///   - mailbox: The mailbox of a stream. A future's mailboxes are told apart by the place.
    ///   - place: Where the callbacks run.
    ///   - thread: The state of the current thread.
    /// - Returns: Whether the delivery is over. If not, this thread still owns it, and must go on after the wait.
    func deliver(
        _ mailbox: AnyObject?, _ place: DeliveryPlace, on thread: UnsafeMutablePointer<ThreadState>
    ) -> Bool

    /// Delivers on behalf of a delivery further down on this stack, whose callback is about to wait.
    ///
    /// Afterwards other threads may deliver until that callback returns.
    ///
    /// - Parameters:
    ///   - frame: The delivery further down.
    ///   - thread: The state of the current thread.
    func deliverAgain(
        in frame: UnsafeMutablePointer<ThreadState.Frame>, on thread: UnsafeMutablePointer<ThreadState>)
}

/// Where the callbacks of a mailbox run.
enum DeliveryPlace {
    /// On the thread that completes the future, or emits into the stream.
    case here
    /// On the context.
    ///
    /// A stream delivers a number of elements there. A future only dispatches its callbacks to contexts of the user's,
    /// which may run them at once.
    case onContext
}

/// Values to destroy now, or after the outermost destruction on this thread.
protocol DeferredDestruction {
    func destroy()
}
