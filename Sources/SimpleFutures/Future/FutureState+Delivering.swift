extension FutureState {
    /// Why the next observer is asked for.
    enum Delivering {
        /// To deliver to all of them, and to end the delivery.
        case toAll
        /// To deliver from inside a callback of a delivery that goes on afterwards.
        case again
        /// To let go ahead what needs not wait until the callback that runs on this thread returns: it runs no code of
        /// the user on this stack, and settles no future.
        case ahead
        /// The same, from a thread that registers while another one delivers.
        case aside

        /// Whether only what needs not wait is delivered.
        var goesAheadOnly: Bool { self == .ahead || self == .aside }
    }

    enum Next: ~Copyable {
        /// Nobody is left, or another thread delivers. The delivery has ended.
        case idle
        /// Whoever comes next must wait until the callback that runs on this thread returns.
        case later
        /// Runs on the spot.
        case run(Callback)
        /// Runs on the spot, if it can be claimed.
        case runClaimed(Observer)
        /// Goes to its context.
        case handOver(Observer, _Route)
        /// The rest goes to another thread: others register faster than the caller delivers.
        case goOnElsewhere
    }

    /// How many callbacks that other threads register meanwhile a thread delivers to, before it hands the rest over
    /// (promise 6).
    static let extraAllowance: UInt32 = 64

    /// The next one to deliver to, in the order of registration.
    ///
    /// One at a time, so that whatever a callback does to the later ones, canceling them for instance, takes effect.
    ///
    /// - Parameter delivering: Why the caller asks.
    mutating func next(_ delivering: Delivering) -> Next {
        // Whoever delivers has come back, and may have somebody in hand who must not be overtaken. He finds the others.
        if delivering == .aside, delivery != .inCallback { return .idle }
        if delivering == .toAll, hasNext {
            guard allowance > 0 else {
                allow()
                delivery = .active
                return .goOnElsewhere
            }
            allowance -= 1
        }
        if let callback = first.take() {
            if delivering.goesAheadOnly, !goesAhead(callback.kind, callback.route) {
                first = consume callback
                return .later
            }
            count -= 1
            guard Self.isHere(callback.kind, callback.route, in: phase, hopsToMain: hopsToMain) else {
                return handOver(Observer(callback), delivering)
            }
            if delivering != .aside { delivery = .inCallback }
            return .run(callback)
        }
        guard let observer = waiting.first else {
            // A callback further down on this stack is about to wait: meanwhile others may deliver.
            if delivering != .aside { delivery = .idle }
            return .idle
        }
        if delivering.goesAheadOnly, !goesAhead(observer.kind, observer.route) { return .later }
        waiting.remove(observer)
        count -= 1
        guard Self.isHere(observer.kind, observer.route, in: phase, hopsToMain: hopsToMain) else {
            return handOver(observer, delivering)
        }
        observer.place = .done
        if delivering != .aside { delivery = .inCallback }
        return .runClaimed(observer)
    }

    /// Leaves the rest to the callback further down on this stack, which waits no longer.
    mutating func returnToCallback() { delivery = .inCallback }

    private var hasNext: Bool {
        guard waiting.isEmpty else { return true }
        switch first {
        case .some: return true
        case nil: return false
        }
    }

    func goesAhead(_ kind: ObserverKind, _ route: borrowing _Route) -> Bool {
        kind == .waker || (route.isQueue && kind.usesContext(phase))
    }

    /// The first callback, if it runs on the spot.
    mutating func takeFirst() -> Callback? {
        guard let callback = first.take() else { return nil }
        guard Self.isHere(callback.kind, callback.route, in: phase, hopsToMain: hopsToMain) else {
            first = consume callback
            return nil
        }
        count -= 1
        delivery = .inCallback
        return callback
    }

    /// The callback of the gathering that is the only one to be told.
    ///
    /// It need not wait for its turn: it runs no code of the user's, and takes values in whichever order they come.
    mutating func takeArrival() -> Callback? {
        count = 0
        return first.take()
    }

    /// The waker that is the only one to be told, and runs no code of the user's either.
    mutating func takeWaker() -> Waker? {
        count = 0
        let observer = waiting.popFirst()
        observer?.place = .done
        return observer?.asWaker
    }

    /// Whether an observer's turn is here, on this thread.
    @inline(__always)
    private static func isHere(
        _ kind: ObserverKind, _ route: borrowing _Route, in phase: FuturePhase, hopsToMain: UInt32
    ) -> Bool {
        route.kind == .immediate || route.isHere(hopsToMain: hopsToMain) || !kind.usesContext(phase)
    }

    private mutating func handOver(_ observer: Observer, _ delivering: Delivering) -> Next {
        if delivering != .aside { delivery = .active }
        observer.place = .handedOver
        handedOver.append(observer)
        count += 1
        if observer.route.leadsToMain { hopsToMain += 1 }
        let route = observer.route
        observer.route = route.emptied
        return .handOver(observer, route)
    }

    /// The task that was handed to a context has begun, or will never begin: true the first time.
    mutating func arrive(_ observer: Observer) -> Bool {
        guard observer.place == .handedOver else { return false }
        _ = remove(observer)
        return true
    }
}
