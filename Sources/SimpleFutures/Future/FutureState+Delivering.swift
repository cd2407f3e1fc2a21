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
        /// Whether the delivery ends when nobody is left.
        var ends: Bool { self == .toAll || self == .ahead }
    }

    /// What a thread that delivers remembers from one observer to the next.
    struct Course {
        /// How many it has delivered to.
        private var done: UInt64 = 0
        private var stint = Stint()
        /// Whether it makes a break.
        fileprivate var rests = false

        /// Whether the next one, of so many that wait, is for somebody else if there is somebody.
        fileprivate mutating func isOver(_ count: UInt32, _ patience: UInt64) -> Bool {
            // Among them are those who wait for their contexts: then it is more of others that have their turn.
            if stint.isOver(before: done, of: done + UInt64(count), in: 0, patience) { return true }
            done += 1
            return false
        }
    }

    enum Next: ~Copyable {
        /// Nobody is left, or another thread delivers. The delivery has ended, unless it goes on afterwards.
        case idle
        /// Whoever comes next must wait until the callback that runs on this thread returns.
        case later
        /// Runs on the spot.
        case run(Callback)
        /// Runs on the spot, if it can be claimed.
        case runClaimed(Observer)
        /// Goes to its context.
        case handOver(Observer, _Route)
        /// Whoever registers now delivers from here on; if nobody does, the caller goes on after a moment.
        case takeBreak
    }

    /// The next one to deliver to, in the order of registration.
    ///
    /// One at a time, so that whatever a callback does to the later ones, cancelling them for instance, takes effect.
    ///
    /// - Parameters:
    ///   - delivering: Why the caller asks.
    ///   - course: The caller's, from its first call on.
    ///   - patience: How many milliseconds the caller delivers to those who register meanwhile, before it makes a
    ///     break.
    mutating func next(
        _ delivering: Delivering, _ course: inout Course, patience: UInt64 = Stint.patience
    ) -> Next {
        // Whoever delivers has come back, and may have somebody in hand who must not be overtaken. He finds the others.
        if delivering == .aside, delivery != .inCallback { return .idle }
        if course.rests {
            course.rests = false
            guard delivery == .resting else { return .idle }
            delivery = .active
        }
        // From inside a callback nothing is left to others: who knows when it returns.
        if delivering == .toAll, hasNext, course.isOver(count, patience) {
            delivery = .resting
            course.rests = true
            return .takeBreak
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
            // Otherwise the callback further down on this stack goes on, for who knows how long.
            if delivering.ends { delivery = .idle } else if delivering == .again { delivery = .inCallback }
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
