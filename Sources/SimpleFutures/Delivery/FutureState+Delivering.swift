extension FutureState {
    enum Next: ~Copyable {
        /// Nothing is left. The delivery has ended.
        case idle
        /// First comes what leaves this thread: the caller dispatches it, then goes on.
        case dispatch(Departures)
        /// Runs on the spot.
        case run(Callback)
        /// Runs on this thread now, if it can be claimed.
        case runClaimed(Observer)
        /// Should have run at once on main, and the thread is another one by now. When it is dispatched, the caller says so.
        case leaveForMain(Observer, _Route)
        /// The rest goes to another thread: others register faster than the caller delivers.
        case goOnElsewhere
    }

    /// How many callbacks from other threads a thread runs before it passes the rest to another thread (promise 6).
    static let extraAllowance = UInt32(Trampoline.extraAllowance)

    /// The next one to deliver to on this thread, in the order of registration.
    ///
    /// Takes one at a time, so that a callback can still cancel later ones.
    ///
    /// - Parameters:
    ///   - thread: The current thread, which begins the delivery if another one has left it.
    ///   - hasAllowance: Whether the caller ends after an allowance, as a callback that waits does not.
    mutating func next(on thread: UnsafeRawPointer, hasAllowance: Bool = true) -> Next {
        if owner == nil { begin(on: thread) }
        // A callback may block: what does not run on this thread must not wait for it.
        if !queued.isEmpty, begin(.queued) { return .dispatch(.queued) }
        if !foreign.isEmpty, begin(.foreign) { return .dispatch(.foreign) }
        guard hasNext else {
            rest()
            return .idle
        }
        if hasAllowance {
            guard allowance > 0 else {
                begin(on: nil)
                return .goOnElsewhere
            }
            allowance -= 1
        }
        if let callback = first.take() {
            if leadsToMain(callback.kind, callback.route) {
                guard callback.route.isHere(hopsToMain: hopsToMain) else { return leaveForMain(Observer(callback)) }
                mainHere -= 1
            }
            count -= 1
            return .run(callback)
        }
        guard let observer = waiting.popFirst() else { return .idle }
        if leadsToMain(observer.kind, observer.route) {
            guard observer.route.isHere(hopsToMain: hopsToMain) else { return leaveForMain(observer) }
            mainHere -= 1
        }
        count -= 1
        observer.place = .done
        return .runClaimed(observer)
    }

    private mutating func leaveForMain(_ observer: Observer) -> Next {
        .leaveForMain(observer, putIntoDispatched(observer))
    }

    /// It is on its way: what leads to main need no longer stay behind it.
    mutating func hasLeftForMain() { mainHere -= 1 }

    @inline(__always)
    private func leadsToMain(_ kind: ObserverKind, _ route: borrowing _Route) -> Bool {
        route.leadsToMain && kind.usesContext(phase)
    }

    @inline(__always)
    var hasNext: Bool { !waiting.isEmpty || first != nil }

    /// Ends the delivery if there is nothing to deliver on this thread.
    mutating func endIfNothingIsLeft() -> Bool {
        guard !hasNext, isBusy(.foreign) || foreign.isEmpty, isBusy(.queued) || queued.isEmpty else {
            return false
        }
        rest()
        return true
    }

    /// Whether the code of an observer belongs on another context than the thread that delivers.
    ///
    /// An observer for the main queue stays behind observers that wait here to run at once on main.
    @inline(__always)
    func leaves(_ kind: ObserverKind, _ route: borrowing _Route, on thread: UnsafeRawPointer?) -> Bool {
        guard route.kind != .immediate, kind.usesContext(phase) else { return false }
        return !route.leadsToMain || (mainHere == 0 && (isBusy(.queued) || !isHere(route, on: thread)))
    }

    /// Whether code may run at once on main: not while another thread delivers, which may be inside of a callback.
    func isHere(_ route: borrowing _Route, on thread: UnsafeRawPointer?) -> Bool {
        (delivery == .idle || isOwned(by: thread)) && route.isHere(hopsToMain: hopsToMain)
    }

    /// Takes the first callback, if it runs on this thread.
    mutating func takeFirst() -> Callback? {
        guard foreign.isEmpty, let callback = first.take() else { return nil }
        count -= 1
        if leadsToMain(callback.kind, callback.route) { mainHere -= 1 }
        return callback
    }

    /// Takes the callback of a combined future that is the only observer.
    ///
    /// It need not wait for its turn: it runs no user code, and accepts values in any order.
    mutating func takeArrival() -> Callback? {
        count = 0
        return first.take()
    }

    /// Takes the waiter that is the only observer.
    ///
    /// It runs no user code either.
    mutating func takeWaker() -> Observer? {
        count = 0
        let observer = popFirst(.queued)
        observer?.place = .done
        return observer
    }
}
