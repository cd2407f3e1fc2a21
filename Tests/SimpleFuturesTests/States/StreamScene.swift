import Dispatch

@testable import SimpleFutures
@testable import TestSupport

/// A stream and the players that emit into it, subscribe to it and end it, in the same steps as `StreamCore`.
///
/// The state is real; the scene repeats the code around it: decide under the lock, then act.
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

    private(set) var emitted = 0
    /// The elements that were removed from the log, in that order.
    private(set) var destroyed: [Int] = []
    /// The number of players whose call ended the stream.
    private var enders = 0
    /// The number of calls made while another subscriber still waited for an earlier element.
    var overtaken = 0
    /// The number of tasks that were let in although they belonged to another delivery.
    var staleArrivals = 0
    private var isLetGo = false
    /// The players that deliver, with the numbers of their deliveries; nil for a player whose delivery has no number
    /// yet.
    var deliveries: [(mailbox: Mailbox, player: Player, turn: UInt64?)] = []
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
            _ = state.takeUnusedMailbox()
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

    private func emit(_ player: Player) {
        var direct: StreamState.Direct?
        let wake: StreamState.Wake = withState { state in
            guard state.append(.success, { $0.storeBytes(of: emitted, as: Int.self) }) else { return .nothing }
            emitted += 1
            if state.isBusy {
                state.allowOneMore(player.thread)
                return .nothing
            }
            direct = state.startDirectly(runsCallbacks: true, on: player.thread, extraAllowance)
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
        player.add("listener \(listener.number) comes, \(form)") { [self] in
            // It may already be removed.
            guard !listener.isRemoved else { return }
            let subscriber = listener.makeSubscriber()
            listener.first = max(0, emitted - (isLetGo ? 0 : capacity))
            if case .deliver(let mailbox) = withState({ $0.add(subscriber, form.key, form.route) }) {
                deliver(player, mailbox)
            }
        }
        return listener
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
        let now = deliveries.filter { $0.mailbox === mailbox && ($0.turn ?? mailbox.turn) == mailbox.turn }
        let waiting = tasks.count { $0.mailbox === mailbox && $0.turn == mailbox.turn }
        switch mailbox.phase {
        case .idle:
            let isDone = mailbox.waiting.all.allSatisfy { state.end == nil && state.log.isAtEnd($0.position) }
            if !isDone, now.isEmpty { return "a subscriber waits forever" }
            if state.end != nil, mailbox.running.isEmpty, !mailbox.watchers.isEmpty {
                return "no subscriber gets the end"
            }
        case .active: if now.count != 1 { return "\(now.count) deliver" }
        case .dispatched: if waiting != 1 { return "the context has \(waiting) tasks" }
        }
        return nil
    }

    private var complaintAboutListeners: String? {
        if overtaken > 0 { return "one was overtaken" }
        if staleArrivals > 0 { return "an old task was let in" }
        if enders > 1 { return "it has ended \(enders) times" }
        if destroyed != Array(0..<destroyed.count) { return "\(destroyed) were destroyed" }
        for listener in listeners {
            let first = listener.first ?? 0
            if listener.heard != Array(first..<first + listener.heard.count) {
                return "listener \(listener.number) has heard \(listener.heard)"
            }
            if listener.ends.count > 1 { return "listener \(listener.number) has heard the end twice" }
            guard listener.form != .watcher, let subscriber = listener.subscriber else { continue }
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
        if let left = tasks.first { return "a task is left with the turn \(left.turn)" }
        let kept = isLetGo ? 0 : min(capacity, emitted)
        if destroyed.count != emitted - kept { return "of \(emitted) only \(destroyed.count) were destroyed" }
        if state.log.count != kept { return "the history has \(state.log.count)" }
        while let elements = state.log.popAny() { destroy(elements) }
        return destroyed == Array(0..<emitted) ? nil : "\(destroyed) were destroyed"
    }

    private func complaintAboutEnd(of listener: StreamGuest) -> String? {
        let isGone = listener.isRemoved || dropsTasks && listener.form == .onQueue
        if !isGone {
            if listener.form != .watcher, listener.heard.last.map({ $0 + 1 }) ?? listener.first != emitted {
                return "has heard \(listener.heard) of \(emitted)"
            }
            if listener.ends.first != state.end { return "has not heard of the end" }
        }
        listener.subscriber = nil
        return (isGone || state.end != nil) && listener.probe != nil ? "is kept" : nil
    }
}

/// A subscriber to the stream of a scene, and its calls.
final class StreamGuest: @unchecked Sendable {
    // Sendable: a scene is used by one thread.

    /// The context of its calls.
    enum Form {
        case sink
        case here
        case onQueue
        /// It subscribes to the end only.
        case watcher

        var route: _Route { self == .onQueue ? .queue(Self.dispatchQueue) : .immediate }
        var key: MailboxKey { self == .sink ? .sink : MailboxKey(route) }

        private static let dispatchQueue = DispatchQueue(label: "StreamGuest")
    }

    let number: Int
    let form: Form
    var subscriber: Subscriber?
    weak var probe: Probe?
    /// The received elements and ends.
    var heard: [Int] = []
    var ends: [StreamSignal] = []
    /// The first element that it must receive; nil until it has subscribed.
    var first: Int?
    var isRemoved = false
    /// The number of times that its first callback waits for other subscribers.
    var waits = 0

    init(_ number: Int, _ form: Form) {
        self.number = number
        self.form = form
    }

    func makeSubscriber() -> Subscriber {
        let probe = Probe()
        self.probe = probe
        let interest: StreamInterest = form == .watcher ? [.finish, .cancellation] : .everything
        let subscriber = Subscriber(interest) { [unowned self] event, _ in
            probe.use()
            for index in 0..<event.count { heard.append(event.raw(index).load(as: Int.self)) }
            if event.count == 0 { ends.append(event.signal) }
        }
        self.subscriber = subscriber
        return subscriber
    }
}
