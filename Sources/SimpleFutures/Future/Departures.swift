/// The observers that leave the thread that delivers wait in two lists.
///
/// One thread at a time dispatches a list, in the order of registration.
enum Departures {
    /// To a Dispatch queue, or to a waiter.
    case queued
    /// To a context of the user's, which may run its task before `execute` returns.
    case foreign
}
