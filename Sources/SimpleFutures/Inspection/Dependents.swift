import Dispatch

// The waiters and subscribers of each live object, for the report of pending work.

extension AnyFuture {
    /// The observers that have not been told of the end yet.
    ///
    /// First those whose context was asked; those of one context are in the order of registration. The result keeps the futures and streams in it alive.
    var dependents: [Dependent] {
        // References that may be the last ones are released outside the lock.
        withState { $0.waits }.compactMap(\.dependent)
    }
}

extension FutureState {
    fileprivate var waits: [Wait] {
        var waits: [Wait] = []
        dispatched.forEach { waits.append(Wait($0, isDispatched: true)) }
        if let wait = first.read({ Wait($0) }) { waits.append(wait) }
        for list in lists.dropFirst() { list.forEach { waits.append(Wait($0, isDispatched: false)) } }
        return waits
    }
}

/// An observer without its code.
private struct Wait {
    private let kind: ObserverKind
    private let route: _Route
    private let target: AnyFuture?
    /// Used to find the target if the observer has a token.
    private let observer: Observer?
    private let isDispatched: Bool

    init(_ callback: borrowing Callback) {
        kind = callback.kind
        route = callback.route
        target = callback.target
        observer = nil
        isDispatched = false
    }

    init(_ observer: Observer, isDispatched: Bool) {
        kind = observer.kind
        route = observer.route
        target = observer.unlinkedTarget
        self.observer = observer
        self.isDispatched = isDispatched
    }

    var dependent: Dependent? {
        let isCalled = kind.usesContext(.succeeded) || kind.usesContext(.failed)
        return who.map { Dependent(who: $0, place: isCalled ? route.place : "", isDispatched: isDispatched) }
    }

    private var who: Dependent.Who? {
        if kind.isOfMany {
            let relation = kind == .race ? "which waits for the first of several" : "which waits for all of several"
            return route.inputs.target.map { .other($0, relation) }
        }
        if let target = target ?? observer?.linkedTarget { return .other(target, "derived from it") }
        switch kind {
        case .completion: return .somebody("onComplete")
        case .success: return .somebody("onSuccess")
        case .failure: return .somebody("onFailure")
        case .waker: return .somebody("an await or a wait")
        // Internal observers, and observers that do not wait for a result.
        case .cancellation, .ensuring, .plumbing, .forwarding, .transform, .recovery, .gathering, .race: return nil
        }
    }
}

extension StreamCore {
    /// The subscribers.
    ///
    /// The result keeps the futures and streams in it alive.
    var dependents: [Dependent] { withState { $0.dependents } }
}

extension StreamState {
    fileprivate var dependents: [Dependent] {
        var dependents: [Dependent] = []
        for mailbox in mailboxes.all {
            for list in [mailbox.waiting, mailbox.running, mailbox.watchers] {
                list.forEach { subscriber in
                    guard let who = subscriber.who(in: mailbox) else { return }
                    let place = mailbox.kind == .sink ? "" : mailbox.route.place
                    dependents.append(Dependent(who: who, place: place, isDispatched: mailbox.phase == .dispatched))
                }
            }
        }
        return dependents
    }
}

extension Subscriber {
    fileprivate func who(in mailbox: Mailbox) -> Dependent.Who? {
        if let target = contents.target { return .other(target, "derived from it") }
        if mailbox.kind == .sink { return .somebody(Readers.describe(self)) }
        if interest.isSuperset(of: .elements) { return .somebody("onComplete") }
        if interest.contains(StreamInterest.success) { return .somebody("onSuccess") }
        if interest.contains(StreamInterest.failure) { return .somebody("onFailure") }
        return interest.contains(StreamInterest.finish) ? .somebody("onFinish") : nil
    }
}

extension _Route {
    /// A description of the context; empty if callbacks run on the completing thread.
    ///
    /// A dispatched observer has released its route's object, so its queue or context is no longer known.
    var place: String {
        guard object != nil else { return kind.place }
        if let label = dispatchQueue?.label, !label.isEmpty { return "on the queue \"\(label)\"" }
        return context.map { $0 is ManualTasks ? "on a ManualContext" : "on \(type(of: $0))" } ?? kind.place
    }
}

extension _Route.Kind {
    var place: String {
        switch self {
        case .immediate: ""
        case .main, .mainImmediate: "on the main queue"
        case .queue: "on its queue"
        case .custom: "on its context"
        }
    }
}
