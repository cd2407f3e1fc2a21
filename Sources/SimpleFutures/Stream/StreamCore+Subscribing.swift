extension StreamCore {
    /// Subscribes user code, and what is derived from it.
    ///
    /// - Parameters:
    ///   - interest: What the body is called with. What it does not want is passed to the target.
    ///   - context: Where the body runs.
    ///   - token: Under which token it is registered.
    ///   - target: The stream that the body emits into. It is canceled when the link is detached, and loses a producer
    ///     when this stream finishes.
    ///   - joins: Whether the target has other sources, which go on if this stream is canceled.
    ///   - body: The code. It runs for one event at a time.
    @usableFromInline
    package func subscribe(
        _ interest: StreamInterest, on context: any ExecutionContext, under token: CancelToken,
        target: StreamCore? = nil, joins: Bool = false, _ body: @escaping StreamBody
    ) {
        let route = context._route
        let subscriber = Subscriber(
            interest, isMainImmediate: route.kind == .mainImmediate, target: target, joins: joins, body)
        add(subscriber, route, under: token)
    }

    /// Subscribes plumbing: the body runs wherever an element comes.
    @usableFromInline
    package func subscribe(
        _ interest: StreamInterest, under token: CancelToken = .none, target: StreamCore? = nil, joins: Bool = false,
        _ body: @escaping StreamBody
    ) {
        subscribe(interest, on: ImmediateContext(), under: token, target: target, joins: joins, body)
    }

    /// Subscribes one who only wakes somebody up: it gets elements even inside of a callback, and all of those at once
    /// that are there.
    ///
    /// Package hook.
    @usableFromInline
    package func subscribe(sink subscriber: Subscriber) { add(subscriber, .immediate, isSink: true, under: .none) }

    private func add(_ subscriber: Subscriber, _ route: _Route, isSink: Bool = false, under token: CancelToken) {
        if !token.isNone { subscriber.link = SubscriberLink(subscriber, of: self, under: token) }
        // From here on the end of the target may take the subscriber out.
        guard subscriber.joinTarget(from: self) else { return subscriber.link = nil }
        // Registered with the token first, so that nothing is delivered that could not be detached.
        if let link = subscriber.link, !token.add(link) { return link.detach() }
        let (addition, hasWork) =
            if let route = route.comparable() {
                addComparing(subscriber, route)
            } else {
                add(subscriber, isSink ? .sink : StreamLane.Key(route), route)
            }
        if hasWork { tellWork() }
        switch addition {
        case .waiting: break
        case .deliver(let lane): deliver(lane)
        case .refused: subscriber.link?.forget()
        }
    }

    /// The second result is whether work depends on who has subscribed.
    private typealias Added = (StreamState.Addition, hasWork: Bool)

    private func add(_ subscriber: Subscriber, _ key: StreamLane.Key, _ route: _Route) -> Added {
        #if DEBUG
        if withState({ $0.meetsItsLike(key, route) }), let context = route.context {
            FuturesDiagnostics.reportOnce(.contextsNotHashable(type: "\(type(of: context))", createdAt: site))
        }
        #endif
        return withState { ($0.add(subscriber, key, route), $0.hasWork) }
    }

    /// Adds a subscriber whose context may equal one that is known.
    ///
    /// They are compared under no lock. If others have come meanwhile, these are compared, too.
    private func addComparing(_ subscriber: Subscriber, _ route: _Route) -> Added {
        guard let value = route.value else { return (.refused, false) }
        while true {
            let known = withState { $0.routes(withHash: value.hash) }
            let route = known.first { $0.value?.equals(value) ?? false } ?? route
            let key = StreamLane.Key(route)
            let added = withState { state -> Added? in
                guard state.routes(withHash: value.hash).elementsEqual(known, by: { $0.object === $1.object }) else {
                    return nil
                }
                return (state.add(subscriber, key, route), state.hasWork)
            }
            if let added { return added }
        }
    }

    /// Takes a subscriber out, at once and without telling it; false when it was out before.
    ///
    /// What depends on it is left as it is. Package hook.
    @discardableResult
    package func remove(_ subscriber: Subscriber) -> Bool {
        guard let contents = takeOut(subscriber) else { return false }
        subscriber.link?.forget()
        Trampoline.submit { _ = contents }
        return true
    }

    /// Takes a subscriber out; nil when it was out before.
    func takeOut(_ subscriber: Subscriber) -> Subscriber.Contents? {
        guard let contents = withState({ $0.remove(subscriber) }) else { return nil }
        contents.leaveTarget()
        tellWork()
        return contents
    }

    /// Detaches what was registered on this stream under a token.
    package func cancel(_ token: CancelToken) -> Bool {
        let own = subscriberCount
        guard own > 0, !token.isNone else { return false }
        let found: [TokenLink] =
            own <= token.linkCount ? withState { $0.subscribers(under: token) } : token.links(of: self)
        let links = found.filter { token.remove($0) }
        // So that everything is detached before the first `onCancel` or handler runs.
        Trampoline.together { for link in links { link.detach() } }
        return !links.isEmpty
    }
}
