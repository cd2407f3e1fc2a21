/// The expected behavior of futures on one thread, implemented with arrays and without regard to speed.
///
/// Its closures hold it unowned: they run only during one of its steps. So none of its objects is left at the end.
final class FutureModel: StepRunner {
    typealias Subject = FutureProgram
    var nodes: [Int: Node] = [:]
    var heldFutures: Set<Int> = []
    var promises: Set<Int> = []
    var bare: Set<Int> = []
    var parents: [Int: Int] = [:]
    var cancelled: Set<Int> = []
    var registered: [(node: Node, observer: Observer)] = []
    var attached: [(node: Node, observer: Observer)] = []
    var handlers: [(token: Int, step: Int)] = []
    var tasks: [Int: Wait] = [:]
    var leavers: [Leaver] = []
    /// The tasks that contexts have.
    ///
    /// They hold the future, even if they were canceled.
    var waiting: [Place: [(source: Node, run: () -> Void)]] = [:]
    /// Further effects of canceling a registration.
    var onDetach: [(observer: Observer, run: () -> Void)] = []
    var clock = ModelClock()
    /// The errors in a `NoneSucceeded`, which ends as `noSuchElement`.
    var errorsOfRaces: Set<Int> = []
    var seen = FutureObservations()

    init() {}

    var observations: FutureObservations {
        var result = seen
        for id in heldFutures { result.ends[id] = .some(nodes[id]?.end) }
        result.timers = clock.count
        return result
    }

    var living: Set<Int> {
        attached.removeAll { !$0.observer.isAlive }
        var found = heldFutures.union(promises).compactMap { nodes[$0] }
        for (node, observer) in attached { found += [node] + observer.keeps + [observer.target].compactMap { $0 } }
        found += waiting.values.joined().map(\.source)
        let ends = Set(found.compactMap(\.end))
        return Set(ends.map(\.number)).union(ends.contains(.noSuchElement) ? errorsOfRaces : [])
    }

    // MARK: Futures

    func settle(_ node: Node, _ end: End) {
        guard node.end == nil else { return }
        node.end = end
        let observers = node.observers
        node.observers = []
        for observer in observers { deliver(end, of: node, to: observer) }
    }

    func observe(_ node: Node, _ observer: Observer, keeping kept: [Node] = []) {
        observer.keeps = kept
        attached.append((node, observer))
        if let token = observer.token {
            if cancelled.contains(token) { return detach([observer]) }
            registered.append((node, observer))
        }
        if let holder = observer.holder { seen.held.insert(holder) }
        if let end = node.end { deliver(end, of: node, to: observer) } else { node.observers.append(observer) }
    }

    func deliver(_ end: End, of source: Node, to observer: Observer) {
        guard observer.isAlive else { return }
        if let kind = observer.kind, !kind.wants(end) { return finish(observer) }
        if observer.target != nil, !observer.needsPlace(end) {
            finish(observer)
            return observer.run(end)
        }
        guard observer.place != .immediate else {
            finish(observer)
            return observer.run(end)
        }
        waiting[observer.place, default: []].append(
            (
                source,
                { [unowned self] in
                    guard observer.isAlive else { return }
                    finish(observer)
                    observer.run(end)
                }
            ))
    }

    func finish(_ observer: Observer) {
        observer.isAlive = false
        if let holder = observer.holder { seen.held.remove(holder) }
    }

    func loseProducer(_ node: Node) {
        guard node.end == nil else { return }
        node.producers -= 1
        if node.producers == 0 { settle(node, .broken) }
    }

    // MARK: Tokens

    func cancel(_ token: Int) {
        guard !cancelled.contains(token) else { return }
        var family: [Int] = [token]
        var index = 0
        while index < family.count {
            family += parents.filter { $0.value == family[index] && !cancelled.contains($0.key) }.keys
            index += 1
        }
        cancelled.formUnion(family)
        detach(registered.map(\.observer).filter { $0.isAlive && family.contains($0.token ?? -1) })
        for handler in handlers where family.contains(handler.token) {
            seen.handlers[handler.step, default: 0] += 1
            seen.held.remove(handler.step)
        }
        handlers.removeAll { family.contains($0.token) }
    }

    func detach(_ observers: [Observer]) {
        for observer in observers { finish(observer) }
        for observer in observers {
            if let target = observer.target { settle(target, .cancelled) }
            for entry in onDetach where entry.observer === observer { entry.run() }
        }
    }
}
