extension StreamCore {
    /// Subscribes a user's closure, or the closure of a derived stream.
    ///
    /// - Parameters:
    ///   - interest: The events that the body handles. Others are passed to the target.
    ///   - context: Runs the body; internal code runs on the emitting thread.
    ///   - token: The token that cancels the registration.
    ///   - target: The stream that the body emits into. It is canceled when the registration is, and loses a producer
    ///     when this stream finishes.
    ///   - joins: Whether the target has other sources, so that streams that are joined may form a ring.
    ///   - body: The closure. It runs for one event at a time.
    @usableFromInline
    package func subscribe(
        _ interest: StreamInterest, on context: any ExecutionContext = ImmediateContext(),
        under token: CancelToken = .none, target: StreamCore? = nil, joins: Bool = false, _ body: @escaping StreamBody
    ) {
        let route = context._route
        let subscriber = Subscriber(
            interest, isMainImmediate: route.kind == .mainImmediate, target: target, joins: joins, body)
        add(subscriber, route, under: token)
    }

    /// Subscribes a sink, which only resumes a waiter: it gets elements even inside a callback, and all waiting
    /// elements at once.
    ///
    /// Package hook.
    @usableFromInline
    package func subscribe(sink subscriber: Subscriber) { add(subscriber, .immediate, isSink: true, under: .none) }

    private func add(_ subscriber: Subscriber, _ route: _Route, isSink: Bool = false, under token: CancelToken) {
        if !token.isNone { subscriber.link = SubscriberLink(subscriber, of: self, under: token) }
        // From here on the end of the target may remove the subscriber.
        guard subscriber.joinTarget(from: self) else { return subscriber.link = nil }
        // Registered with the token first, so that every delivery can be canceled.
        if let link = subscriber.link, !token.add(link) { return TokenLink.detach { $0(link) } }
        let (addition, hasWork) =
            if let route = route.comparable() {
                addComparing(subscriber, route)
            } else {
                add(subscriber, isSink ? .sink : MailboxKey(route), route)
            }
        if hasWork { tellWork() }
        switch addition {
        case .waiting: break
        case .deliver(let mailbox): deliver(mailbox)
        case .refused: subscriber.link?.forget()
        }
    }

    /// `hasWork` says whether the stream has work that depends on its subscribers.
    private typealias Added = (StreamState.Addition, hasWork: Bool)

    private func add(_ subscriber: Subscriber, _ key: MailboxKey, _ route: _Route) -> Added {
        #if DEBUG
        if withState({ $0.mailboxes.meetsItsLike(key, route) }), let context = route.context {
            FuturesDiagnostics.reportOnce(.contextsNotHashable(type: "\(type(of: context))", createdAt: site))
        }
        #endif
        return withState { ($0.add(subscriber, key, route), $0.work != nil) }
    }

    /// Adds a subscriber whose context may equal a known one.
    ///
    /// Contexts are compared outside the lock. If others were added in the meantime, they are compared too.
    private func addComparing(_ subscriber: Subscriber, _ route: _Route) -> Added {
        guard let value = route.value else { return (.refused, false) }
        while true {
            let known = withState { $0.mailboxes.routes(withHash: value.hash) }
            let route = known.first { $0.value?.equals(value) ?? false } ?? route
            let key = MailboxKey(route)
            let added = withState { state -> Added? in
                let now = state.mailboxes.routes(withHash: value.hash)
                guard now.elementsEqual(known, by: { $0.object === $1.object }) else { return nil }
                return (state.add(subscriber, key, route), state.work != nil)
            }
            if let added { return added }
        }
    }

    /// Removes a subscriber at once, without calling it.
    ///
    /// Returns false if it was already removed.
    ///
    /// Its target is not affected. Package hook.
    @discardableResult
    package func remove(_ subscriber: Subscriber) -> Bool {
        let contents = Memory(takeOut(subscriber))
        guard contents.value != nil else { return false }
        subscriber.link?.forget()
        // In order with deliveries: the release may end another stream, which removes another subscriber, and so on.
        Trampoline.submit { contents.value = nil }
        return true
    }

    /// Removes a subscriber.
    ///
    /// Returns nil if it was already removed.
    func takeOut(_ subscriber: Subscriber) -> Subscriber.Contents? {
        guard let contents = withState({ $0.remove(subscriber) }) else { return nil }
        contents.leaveTarget()
        tellWork()
        return contents
    }

    /// Passes on the last element, and ends the stream.
    ///
    /// Another thread that gets the element may subscribe to the source at once. A source that runs while it has
    /// listeners must then begin a new run, so this stream leaves first, and so do the streams between that have no other
    /// listener. They end, and the source is stopped, after the element's callbacks, because stopping may wait;
    /// only a queue gets its stop at once.
    func passLast(_ pass: () -> Void) {
        Trampoline.unsubscribe(thenInJobs: true) {
            Self.leave(allSources)
        } passOn: {
            pass()
            finish()
        }
    }

    /// Removes a subscriber before its target ends.
    ///
    /// Returns the sources that this stream will leave for this reason.
    func removeEarly(_ subscriber: Subscriber) -> [StreamSource] {
        guard let contents = withState({ $0.removeEarly(subscriber) }) else { return [] }
        tellWork()
        Trampoline.submit {
            subscriber.link?.forget()
            _ = contents
        }
        return sourcesToLeave
    }

    /// Removes a subscriber whose closure is the library's own, in a cancellation handler of the concurrency runtime.
    ///
    /// No code of the user's may run there (promise 5), but the next subscriber must find that this one has left: a source
    /// that runs while it has subscribers then begins a new run.
    ///
    /// Package hook.
    ///
    /// - Returns: The remaining steps, such as to stop the source.
    package func leaveOnly(_ subscriber: Subscriber) -> DeferredActions {
        DeferredActions(actions: Trampoline.unsubscribeOnly { Self.leave(removeEarly(subscriber)) })
    }

    /// Unsubscribes from the sources of a stream that is about to end, and so do the streams between that have no other
    /// listener.
    static func leave(_ sources: [StreamSource]) {
        var sources = sources
        while let source = sources.popLast() { sources += source.leaveEarly() }
    }

    var allSources: [StreamSource] { withState { $0.allSources } }

    /// The sources of a stream that is deserted.
    var sourcesToLeave: [StreamSource] { withState { $0.isDeserted ? $0.allSources : [] } }

    /// Cancels everything registered on this stream with a token.
    package func cancel(_ token: CancelToken) -> Bool {
        let own = subscriberCount
        guard own > 0, !token.isNone else { return false }
        let found: [TokenLink] =
            own <= token.linkCount ? withState { $0.subscribers(under: token) } : token.links(of: self)
        return token.detach(found)
    }
}

/// The remaining steps after a subscriber has left: any thread can carry them out.
package struct DeferredActions: @unchecked Sendable {
    // Sendable: only one thread runs the actions, which depend on none.
    fileprivate let actions: [() -> Void]

    package var isEmpty: Bool { actions.isEmpty }

    package func run() { Trampoline.together { for action in actions { action() } } }
}
