@testable import SimpleFutures
@testable import TestSupport

/// A stream and the players that emit into it, subscribe to it and end it, in the same steps as `StreamCore`.
///
/// The state is real; the scene repeats the code around it, and the part of `Trampoline` that runs jobs and waits:
/// decide under the lock, then act.
final class StreamScene: Scene, @unchecked Sendable {
    // Sendable: a scene is used by one thread.

    var state: StreamState
    let capacity: Int
    var listeners: [StreamGuest] = []
    lazy var queue = player("queue")
    /// Whether the queue drops its tasks.
    var dropsTasks = false
    /// The number of additional elements that a thread delivers before another thread continues.
    var extraAllowance = Mailbox.extraAllowance
    /// Whether the queue runs each task twice.
    var runsTwice = false
    /// Whether the user's context runs its tasks inside of the call that dispatches them, and not on the queue.
    var runsAtOnce = false
    /// The user's context; nil when all steps are taken.
    private(set) var context: SceneContext? = SceneContext()
    private weak var keptContext: SceneContext?

    private(set) var emitted = 0
    /// The elements that were removed from the log, in that order.
    private(set) var destroyed: [Int] = []
    /// The number of players whose call ended the stream.
    private var enders = 0
    /// The number of calls made while another subscriber still waited for an earlier element.
    var overtaken = 0
    /// The number of tasks that were let in although they belonged to another delivery.
    var staleArrivals = 0
    /// The number of calls that began after the subscriber was removed.
    var lateCalls = 0
    private var isLetGo = false
    var threads: [ObjectIdentifier: SceneThread<Drain, Drain>] = [:]
    /// The deliveries that have not ended, those of jobs included.
    var deliveries: [Drain] = []
    /// The number of players that pass a task to a context.
    var dispatching = 0
    /// The tasks that the queue has or is about to get.
    var tasks: [(mailbox: Mailbox, turn: UInt64)] = []

    init(capacity: Int) {
        self.capacity = capacity
        state = StreamState(capacity: capacity)
    }

    /// Runs a closure under the lock, then destroys the elements that are no longer needed.
    func withState<Result>(_ body: (inout StreamState) -> Result) -> Result {
        defer {
            while let elements = state.log.popUnneeded(areTrivial: false) { destroy(elements) }
            _ = state.mailboxes.takeRemoved()
        }
        return body(&state)
    }

    private func destroy(_ elements: UnneededElements) {
        destroyed += elements.all.map { Int($0.payload.words.0) }
    }

    // MARK: Emitting and ending

    func emits(_ player: Player, _ count: Int = 1) {
        for _ in 0..<count { player.add("emit") { [self] in emit(player) } }
    }

    func emit(_ player: Player) {
        var direct: StreamState.Direct?
        let wake: StreamState.Wake = withState { state in
            guard state.append(.success, { $0.storeBytes(of: emitted, as: Int.self) }) else { return .nothing }
            emitted += 1
            direct = state.startDirectly(on: player.thread, extraAllowance)
            return direct == nil ? state.wakeForElement(player.thread) : .nothing
        }
        if let direct { deliver(player, direct) } else { deliver(player, wake) }
    }

    func ends(_ player: Player, _ signal: StreamSignal = .finish) {
        player.add("end with \(signal)") { [self] in end(player, withState { $0.end(with: signal) }) }
    }

    func loses(_ player: Player, cancelled: Bool = false) {
        player.add("lose a producer") { [self] in end(player, withState { $0.loseProducer(cancelled: cancelled) }) }
    }

    private func end(_ player: Player, _ wake: StreamState.Wake?) {
        guard let wake else { return }
        enders += 1
        deliver(player, wake)
        player.next("close the routes") { [self] in _ = withState { $0.closeRoutes() } }
    }

    func letsGo(_ player: Player) {
        player.add("let go") { [self] in
            isLetGo = true
            withState { $0.letGo() }
        }
    }

    // MARK: Subscribing

    @discardableResult
    func comes(_ player: Player, _ form: StreamGuest.Form) -> StreamGuest {
        let listener = StreamGuest(listeners.count + 1, form)
        listeners.append(listener)
        player.add("listener \(listener.number) comes, \(form)") { [self] in come(player, listener) }
        return listener
    }

    func come(_ player: Player, _ listener: StreamGuest) {
        // It may already be removed.
        guard !listener.isRemoved, let context else { return }
        let subscriber = listener.makeSubscriber()
        listener.first = max(0, emitted - (isLetGo ? 0 : capacity))
        let addition = withState { state in
            var route = listener.form.route(context)
            if let value = route.value {
                route = state.mailboxes.routes(withHash: value.hash).first { $0.value?.equals(value) ?? false } ?? route
            }
            return state.add(subscriber, listener.form == .sink ? .sink : MailboxKey(route), route)
        }
        if case .deliver(let mailbox) = addition { deliver(player, mailbox) }
    }

    @discardableResult
    func hasListener(_ form: StreamGuest.Form) -> StreamGuest { before { comes($0, form) } }

    func removes(_ player: Player, _ listener: StreamGuest) {
        player.add("remove listener \(listener.number)") { [self] in
            guard let subscriber = listener.subscriber else {
                listener.isRemoved = true
                return
            }
            if withState({ $0.remove(subscriber) }) != nil { listener.isRemoved = true }
        }
    }

    // MARK: Complaints

    override var complaint: String? { complaintAboutMailboxes ?? complaintAboutListeners }

    private var complaintAboutMailboxes: String? {
        var mailboxes: [Mailbox] = []
        for case let mailbox? in listeners.map({ $0.subscriber?.mailbox })
        where !mailboxes.contains(where: { $0 === mailbox }) {
            mailboxes.append(mailbox)
        }
        let count = mailboxes.reduce(0) { $0 + $1.count }
        if count != state.subscriberCount { return "\(state.subscriberCount) subscribers, \(count) in mailboxes" }
        let places = listeners.filter { !$0.form.wantsEndOnly }.map { $0.subscriber?.place }
        let listening = places.count { $0 == .waiting || $0 == .running }
        if listening != state.listenerCount { return "\(state.listenerCount) listeners, not \(listening)" }
        for mailbox in mailboxes {
            let lists = [mailbox.waiting.all, mailbox.running.all, mailbox.watchers.all]
            if lists.joined().count != mailbox.count {
                return "\(mailbox.count) subscribers in lists of \(lists.map(\.count))"
            }
            let places = lists[0].map { ($0.position.index, $0.number) }
            if !zip(places, places.dropFirst()).allSatisfy({ $0 < $1 }) {
                return "the mailbox is in the order \(places)"
            }
            if let complaint = complaintAboutDelivery(of: mailbox) { return complaint }
        }
        return nil
    }

    private func complaintAboutDelivery(of mailbox: Mailbox) -> String? {
        let all = deliveries.filter { $0.mailbox === mailbox }
        let now = all.filter { $0.ownTurn == mailbox.turn }
        let waiting = tasks.count { $0.mailbox === mailbox && $0.turn == mailbox.turn }
        switch mailbox.phase {
        case .idle:
            let isDone = mailbox.waiting.all.allSatisfy { state.end == nil && state.log.isAtEnd($0.position) }
            // After a wait, a delivery below it goes on.
            if !isDone, all.isEmpty { return "a subscriber waits forever" }
            if state.end != nil, mailbox.running.isEmpty, !mailbox.watchers.isEmpty, all.isEmpty {
                return "no subscriber gets the end"
            }
        case .active: if now.count != 1 { return "\(now.count) deliver" }
        case .dispatched:
            if waiting != 1 { return "the context has \(waiting) tasks" }
            let isAtRest = deliveries.isEmpty && dispatching == 0 && players.allSatisfy { $0 === queue || $0.isDone }
            if isAtRest, state.end != nil, mailbox.kind == .custom, mailbox.route.isOpen {
                return "a task that has not begun keeps its context"
            }
        }
        return nil
    }

    private var complaintAboutListeners: String? {
        if overtaken > 0 { return "one was overtaken" }
        if lateCalls > 0 { return "one that was removed is called" }
        if staleArrivals > 0 { return "an old task was let in" }
        if enders > 1 { return "it has ended \(enders) times" }
        if destroyed != Array(0..<destroyed.count) { return "\(destroyed) were destroyed" }
        for listener in listeners {
            let first = listener.first ?? 0
            if listener.heard != Array(first..<first + listener.heard.count) {
                return "listener \(listener.number) has heard \(listener.heard)"
            }
            if listener.ends.count > 1 { return "listener \(listener.number) has heard the end twice" }
            guard !listener.form.wantsEndOnly, let subscriber = listener.subscriber else { continue }
            if subscriber.place == .waiting || subscriber.place == .running,
                destroyed.count > first + listener.heard.count
            {
                return "element \(destroyed.count - 1) is destroyed, which listener \(listener.number) has yet to hear"
            }
        }
        return nil
    }

    override var complaintAtEnd: String? {
        for listener in listeners where listener.first != nil {
            if let complaint = complaintAboutEnd(of: listener) { return "listener \(listener.number) \(complaint)" }
        }
        if threads.values.contains(where: { !$0.jobs.isEmpty || $0.isActive }) { return "a job is left" }
        if let left = tasks.first { return "a task is left with the turn \(left.turn)" }
        keptContext = context
        context = nil
        if state.end != nil, keptContext != nil { return "the context is kept" }
        let kept = isLetGo ? 0 : min(capacity, emitted)
        if destroyed.count != emitted - kept { return "of \(emitted) only \(destroyed.count) were destroyed" }
        if state.log.count != kept { return "the history has \(state.log.count)" }
        while let elements = state.log.popAny() { destroy(elements) }
        return destroyed == Array(0..<emitted) ? nil : "\(destroyed) were destroyed"
    }

    private func complaintAboutEnd(of listener: StreamGuest) -> String? {
        let isGone = listener.isRemoved || dropsTasks && listener.form == .onQueue
        if !isGone {
            if !listener.form.wantsEndOnly, listener.heard.last.map({ $0 + 1 }) ?? listener.first != emitted {
                return "has heard \(listener.heard) of \(emitted)"
            }
            if listener.ends.first != state.end { return "has not heard of the end" }
        }
        listener.subscriber = nil
        return (isGone || state.end != nil) && listener.probe != nil ? "is kept" : nil
    }
}
