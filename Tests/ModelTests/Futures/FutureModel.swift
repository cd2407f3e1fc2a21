/// What a run has shown up to some moment.
struct FutureObservations: Equatable, Sendable {
    /// How the futures that are still held have ended, or nil.
    var ends: [Int: End?] = [:]
    /// What each callback got.
    var notes: [Int: [End]] = [:]
    /// In which order the callbacks of one future ran on one context that runs one at a time.
    var orders: [String: [Int]] = [:]
    /// What awaits have got.
    var outcomes: [Int: End] = [:]
    /// What steps have returned.
    var answers: [Int: Bool] = [:]
    /// How often handlers of tokens have run.
    var handlers: [Int: Int] = [:]
    /// The callbacks, handlers and combinators whose closures are still there.
    var held: Set<Int> = []
    var timers = 0
}

/// What the library should do, on one thread: with arrays, and without any thought of speed.
final class FutureModel {
    private final class Node {
        var end: End?
        var producers = 1
        var observers: [Observer] = []
        init() {}
    }

    /// Whatever waits for a future: a callback, a combinator.
    private final class Observer {
        let kind: FutureProgram.Kind?
        let place: Place
        let token: Int?
        let target: Node?
        /// The step whose closure it holds.
        let holder: Int?
        var isAlive = true
        /// Whether its code belongs on its context, given the end.
        let needsPlace: (End) -> Bool
        let run: (End) -> Void

        init(
            _ kind: FutureProgram.Kind? = nil, on place: Place = .immediate, under token: Int?, target: Node? = nil,
            holder: Int? = nil, needsPlace: @escaping (End) -> Bool = { _ in true }, run: @escaping (End) -> Void
        ) {
            self.kind = kind
            self.place = place
            self.token = token
            self.target = target
            self.holder = holder
            self.needsPlace = needsPlace
            self.run = run
        }
    }

    private struct Timer {
        let deadline: Int
        let number: Int
        let run: () -> Void
    }

    private var nodes: [Int: Node] = [:]
    private var heldFutures: Set<Int> = []
    private var promises: Set<Int> = []
    private var bare: Set<Int> = []
    private var parents: [Int: Int] = [:]
    private var cancelled: Set<Int> = []
    private var registered: [(node: Node, observer: Observer)] = []
    private var handlers: [(token: Int, step: Int)] = []
    private var tasks: [Int: (Node, Observer)] = [:]
    private var waiting: [Place: [() -> Void]] = [:]
    private var timers: [Timer] = []
    private var timerCount = 0
    private var now = 0
    private var seen = FutureObservations()

    init() {}

    var observations: FutureObservations {
        var result = seen
        for id in heldFutures { result.ends[id] = .some(nodes[id]?.end) }
        result.timers = timers.count
        return result
    }

    // MARK: Steps

    func run(_ step: FutureProgram.Step) {
        let id = step.id
        switch step.operation {
        case .promise:
            makeNode(id)
            promises.insert(id)
        case .bare:
            makeNode(id)
            bare.insert(id)
        case .value: settle(makeNode(id), .success(id))
        case .transform(let transform, let source, let place, let token):
            let target = makeNode(id)
            guard let source = held(source) else { return forget(id) }
            if transform == .asyncMap {
                observe(
                    source,
                    Observer(.none, under: token, target: target, holder: nil) { [self] end in
                        settle(target, end.isSuccess ? transform.applied(to: end) : end)
                    })
                return
            }
            observe(
                source,
                Observer(
                    on: place, under: token, target: target, holder: id,
                    needsPlace: { transform.isRecovery ? $0.isFailure : $0.isSuccess }
                ) { [self] end in settle(target, transform.applied(to: end)) })
        case .flatMap(let source, let inner, let isRecovery, let place, let token):
            let target = makeNode(id)
            guard let source = held(source), let inner = held(inner) else { return forget(id) }
            observe(
                source,
                Observer(
                    on: place, under: token, target: target, holder: id,
                    needsPlace: { isRecovery ? $0.isFailure : $0.isSuccess }
                ) { [self] end in
                    guard isRecovery ? end.isFailure : end.isSuccess else { return settle(target, end) }
                    observe(inner, Observer(under: token, target: target) { [self] in settle(target, $0) })
                })
        case .gather(let gathering, let sources):
            let target = makeNode(id)
            let inputs = sources.compactMap { held($0) }
            guard inputs.count == sources.count else { return forget(id) }
            gather(gathering, inputs, into: target)
        case .timeout(let source, let token):
            let target = makeNode(id)
            guard let source = held(source) else { return forget(id) }
            let observer = Observer(under: token, target: target) { [self] in settle(target, $0) }
            observe(source, observer)
            guard target.end == nil else { return }
            let timer = addTimer { [self] in
                guard target.end == nil else { return }
                observer.isAlive = false
                settle(target, .timedOut)
            }
            observe(target, Observer(under: nil) { [self] _ in timers.removeAll { $0.number == timer } })
        case .delay(let source, let token):
            let target = makeNode(id)
            guard let source = held(source) else { return forget(id) }
            observe(
                source,
                Observer(under: token, target: target) { [self] end in
                    guard end != .cancelled else { return settle(target, end) }
                    let elapsed = Node()
                    observe(elapsed, Observer(under: token, target: target) { [self] _ in settle(target, end) })
                    let timer = addTimer { [self] in settle(elapsed, .success(0)) }
                    observe(target, Observer(under: nil) { [self] _ in timers.removeAll { $0.number == timer } })
                })
        case .asyncFuture(let source, let token):
            let target = makeNode(id)
            guard let source = held(source) else { return forget(id) }
            if let token, cancelled.contains(token) { return settle(target, .cancellationError) }
            let body = Observer(under: nil) { [self] in settle(target, $0 == .cancelled ? .cancellationError : $0) }
            if let token {
                // A token that is cancelled cancels the task, whose end is the future's.
                let stop = Observer(.none, under: token, target: nil) { _ in }
                let stopped = Node()
                registered.append((stopped, stop))
                onDetach.append(
                    (
                        stop,
                        { [self] in
                            body.isAlive = false
                            settle(target, .cancellationError)
                        }
                    ))
                observe(target, Observer(under: nil) { _ in stop.isAlive = false })
            }
            observe(source, body)

        case .complete(let target, let isSuccess):
            if let node = completable(target) { settle(node, isSuccess ? .success(id) : .failure(id)) }
        case .tryComplete(let target, let isSuccess):
            guard let node = completable(target) else { return }
            seen.answers[id] = node.end == nil
            settle(node, isSuccess ? .success(id) : .failure(id))
        case .completeWith(let target, let source):
            guard promises.contains(target), let node = nodes[target], let source = held(source) else { return }
            guard node.end == nil else { return }
            node.producers += 1
            // The link goes when the target has ended.
            let link = Observer(under: nil, target: node) { [self] in settle(node, $0) }
            observe(source, link)
            observe(node, Observer(under: nil) { _ in link.isAlive = false })
        case .dropPromise(let id):
            guard promises.remove(id) != nil, let node = nodes[id] else { return }
            loseProducer(node)
        case .dropFuture(let id):
            guard heldFutures.remove(id) != nil, bare.remove(id) != nil, let node = nodes[id] else { return }
            // Nobody can complete it any more.
            settle(node, .broken)

        case .listen(let future, let kind, let place, let token, let target):
            guard let source = held(future) else { return }
            observe(
                source,
                Observer(kind, on: place, under: token, holder: id) { [self] end in
                    seen.notes[id, default: []].append(end)
                    if place.isSerial { seen.orders["f\(future) on \(place)", default: []].append(id) }
                    if let target, promises.contains(target), let node = nodes[target] {
                        seen.answers[id] = node.end == nil
                        settle(node, .success(id))
                    }
                })

        case .token: break
        case .child(let parent):
            parents[id] = parent
            if cancelled.contains(parent) { cancelled.insert(id) }
        case .handler(let token):
            if cancelled.contains(token) {
                seen.handlers[id] = 1
            } else {
                handlers.append((token, id))
                seen.held.insert(id)
            }
        case .cancel(let token): cancel(token)
        case .cancelOn(let future, let token):
            guard let node = held(future) else { return }
            let found = registered.filter { $0.node === node && $0.observer.token == token && $0.observer.isAlive }
            seen.answers[id] = !found.isEmpty
            detach(found.map(\.observer))

        case .await(let future):
            guard let node = held(future) else { return }
            let observer = Observer(under: nil) { [self] end in
                seen.outcomes[id] = end == .cancelled ? .cancellationError : end
            }
            tasks[id] = (node, observer)
            observe(node, observer)
        case .cancelTask(let task):
            guard let (node, observer) = tasks[task], node.end == nil, observer.isAlive else { return }
            observer.isAlive = false
            seen.outcomes[task] = .cancellationError

        case .drain(let place):
            while !(waiting[place] ?? []).isEmpty { waiting[place]?.removeFirst()() }
        case .advance:
            run(FutureProgram.Step(id: -1, operation: .drain(.manual)))
            now += 1
            while let next = timers.filter({ $0.deadline <= now }).min(by: {
                ($0.deadline, $0.number) < ($1.deadline, $1.number)
            }) {
                timers.removeAll { $0.number == next.number }
                next.run()
                run(FutureProgram.Step(id: -1, operation: .drain(.manual)))
            }
        }
    }

    private var onDetach: [(observer: Observer, run: () -> Void)] = []

    @discardableResult
    private func makeNode(_ id: Int) -> Node {
        let node = Node()
        nodes[id] = node
        heldFutures.insert(id)
        return node
    }

    /// The step could not be done, since something that it needs has been dropped.
    private func forget(_ id: Int) {
        nodes[id] = nil
        heldFutures.remove(id)
    }

    private func held(_ id: Int) -> Node? { heldFutures.contains(id) ? nodes[id] : nil }

    private func completable(_ id: Int) -> Node? {
        promises.contains(id) || (bare.contains(id) && heldFutures.contains(id)) ? nodes[id] : nil
    }

    private func addTimer(_ run: @escaping () -> Void) -> Int {
        timerCount += 1
        timers.append(Timer(deadline: now + 1, number: timerCount, run: run))
        return timerCount
    }

    // MARK: Futures

    private func settle(_ node: Node, _ end: End) {
        guard node.end == nil else { return }
        node.end = end
        let observers = node.observers
        node.observers = []
        for observer in observers { deliver(end, to: observer) }
    }

    private func observe(_ node: Node, _ observer: Observer) {
        if let token = observer.token {
            if cancelled.contains(token) { return detach([observer]) }
            registered.append((node, observer))
        }
        if let holder = observer.holder { seen.held.insert(holder) }
        if let end = node.end { deliver(end, to: observer) } else { node.observers.append(observer) }
    }

    private func deliver(_ end: End, to observer: Observer) {
        guard observer.isAlive else { return }
        if let kind = observer.kind, !kind.wants(end) { return finish(observer) }
        if observer.target != nil, end == .cancelled || !observer.needsPlace(end) {
            finish(observer)
            return observer.run(end)
        }
        guard observer.place != .immediate else {
            finish(observer)
            return observer.run(end)
        }
        waiting[observer.place, default: []].append { [self] in
            guard observer.isAlive else { return }
            finish(observer)
            observer.run(end)
        }
    }

    private func finish(_ observer: Observer) {
        observer.isAlive = false
        if let holder = observer.holder { seen.held.remove(holder) }
    }

    private func loseProducer(_ node: Node) {
        guard node.end == nil else { return }
        node.producers -= 1
        if node.producers == 0 { settle(node, .broken) }
    }

    private func gather(_ gathering: FutureProgram.Gathering, _ inputs: [Node], into target: Node) {
        var missing = inputs.count
        var cancelledCount = 0
        if inputs.isEmpty {
            let isRace = gathering == .firstCompleted || gathering == .firstSucceeded
            return settle(target, isRace ? .noSuchElement : .success(0))
        }
        for input in inputs {
            observe(
                input,
                Observer(under: nil) { [self] end in
                    missing -= 1
                    if end == .cancelled { cancelledCount += 1 }
                    if let result = gathering.result(
                        of: end, isLast: missing == 0, allCancelled: cancelledCount == inputs.count,
                        all: { inputs.map { $0.end ?? .cancelled } })
                    {
                        settle(target, result)
                    }
                })
        }
    }

    // MARK: Tokens

    private func cancel(_ token: Int) {
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

    private func detach(_ observers: [Observer]) {
        for observer in observers { finish(observer) }
        for observer in observers {
            if let target = observer.target { settle(target, .cancelled) }
            for entry in onDetach where entry.observer === observer { entry.run() }
        }
    }
}
