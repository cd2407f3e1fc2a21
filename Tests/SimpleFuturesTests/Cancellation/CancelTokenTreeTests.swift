import SimpleFutures
import Testing
@testable import TestSupport

@Suite("CancelToken: trees", .watchdog)
struct CancelTokenTreeTests {
    // Without SIMPLEFUTURES_STRESS only a fraction of all orders is tried.
    private let stride = Stress.size(29, full: 1)

    @Test(arguments: [[], [.leaf], TokenGrove.Node.allCases])
    func `in every order of cancels and releases, exactly the descendants are canceled`(
        handled: [TokenGrove.Node]
    ) {
        let fates = TokenGrove.Node.allCases.map { [TokenGrove.Event.cancel($0), .drop($0)] } + [[.secondPasses]]
        tryAllOrders(choices(fates), handled: handled)
    }

    @Test(arguments: [true, false])
    func `in every order of removals, nothing is leaked`(isDropped: Bool) {
        let both: [TokenGrove.Event] = isDropped ? [.drop(.left), .drop(.both)] : []
        let fates: [[TokenGrove.Event]] = [
            [.cancel(.root), .drop(.root)], [.cancel(.deadline), .drop(.deadline)], [.drop(.leaf)],
            [.takeHandlerAway(.leaf)], [.takeHandlerAway(.both)], [.secondPasses],
        ]
        tryAllOrders(choices(fates), after: both, handled: [.both, .leaf])
    }

    private func tryAllOrders(
        _ choices: [[TokenGrove.Event]], after first: [TokenGrove.Event] = [], handled: [TokenGrove.Node]
    ) {
        let all = choices.flatMap { permutations($0) }
        for number in Swift.stride(from: 0, to: all.count, by: stride) {
            guard let complaint = complaint(about: first + all[number], handled: handled) else { continue }
            Issue.record("\(complaint)")
            return
        }
    }

    private func complaint(about events: [TokenGrove.Event], handled: [TokenGrove.Node]) -> String? {
        var grove = TokenGrove(handlersOf: Set(handled))
        if let complaint = grove.complaint { return "at first: \(complaint)" }
        for (index, event) in events.enumerated() {
            grove.happen(event)
            if let complaint = grove.complaint { return "\(complaint) after \(events[...index])" }
        }
        return nil
    }

    @Test func `a token without parents, or with none as its parent, can only be canceled alone`() {
        let tokens = [
            CancelToken(anyOf: []), CancelToken(anyOf: .none), CancelToken(anyOf: .none, .none),
            CancelToken.none.child(),
        ]
        for token in tokens {
            let log = Log<Int>()
            token.onCancel { log.add(1) }
            CancelToken.none.cancel()
            #expect(!token.isCancelled && token != .none)
            token.cancel()
            #expect(token.isCancelled && token.registrationCount == 0)
            #expect(log.all == [1])
        }
        let token = CancelToken()
        let any = CancelToken(anyOf: .none, token, .none)
        token.cancel()
        #expect(any.isCancelled)
    }
}

/// Tokens that depend on each other in every way, with the expected results.
///
///     root ──► left ──► both ──► leaf
///     deadline ──────────┘
struct TokenGrove {
    enum Node: CaseIterable, Sendable {
        case root
        /// Is canceled after a second.
        case deadline
        /// A child of `root`.
        case left
        /// Any of `left` and `deadline`.
        case both
        /// A child of `both`.
        case leaf

        var parents: [Node] {
            switch self {
            case .root, .deadline: []
            case .left: [.root]
            case .both: [.left, .deadline]
            case .leaf: [.both]
            }
        }

        var children: [Node] { Node.allCases.filter { $0.parents.contains(self) } }
    }

    enum Event: Equatable, Sendable {
        case cancel(Node)
        case drop(Node)
        case takeHandlerAway(Node)
        case secondPasses
    }

    private let manual = ManualContext()
    private let runs = Log<Node>()
    private var tokens: [Node: CancelToken] = [:]
    private var watches: [Node: Watch] = [:]
    private var registrations: [Node: Registration] = [:]

    // The expected state, by simple rules.
    private var held = Set(Node.allCases)
    private var handled: Set<Node>
    private var cancelled: Set<Node> = []
    private var hasTimePassed = false

    init(handlersOf handled: Set<Node>) {
        self.handled = handled
        tokens[.root] = CancelToken()
        tokens[.deadline] = CancelToken(after: .seconds(1), context: manual)
        tokens[.left] = tokens[.root]?.child()
        tokens[.both] = CancelToken(anyOf: [.left, .deadline].compactMap { tokens[$0] })
        tokens[.leaf] = tokens[.both]?.child()
        for node in handled {
            watches[node] = Watch { [runs] probe in
                registrations[node] = tokens[node]?.onCancel {
                    probe.use()
                    runs.add(node)
                }
            }
        }
    }

    mutating func happen(_ event: Event) {
        switch event {
        case .cancel(let node):
            tokens[node]?.cancel()
            if held.contains(node) { cancel(node) }
        case .drop(let node):
            tokens[node] = nil
            held.remove(node)
        case .takeHandlerAway(let node):
            // A handler that has run, or can no longer run, is released and cannot be removed.
            let isThere = handled.contains(node) && isAlive(node)
            #expect(registrations[node]?.cancel() == isThere, "\(node)")
            if isThere { handled.remove(node) }
        case .secondPasses:
            let isAlive = isNeeded(.deadline)
            manual.advance(by: .seconds(1))
            hasTimePassed = true
            if isAlive { cancel(.deadline) }
        }
    }

    private mutating func cancel(_ node: Node) {
        cancelled.insert(node)
        node.children.forEach { cancel($0) }
    }

    /// Whether its cancellation would have an effect.
    private func isNeeded(_ node: Node) -> Bool {
        guard !cancelled.contains(node) else { return false }
        return held.contains(node) || handled.contains(node) || node.children.contains { isNeeded($0) }
    }

    /// Whether it can still be canceled.
    private func isAlive(_ node: Node) -> Bool {
        guard !cancelled.contains(node) else { return false }
        return held.contains(node) || (node == .deadline && !hasTimePassed) || node.parents.contains { isAlive($0) }
    }

    /// The first unexpected result.
    var complaint: String? {
        for node in Node.allCases {
            let isCancelled = cancelled.contains(node)
            if let token = tokens[node] {
                if token.isCancelled != isCancelled { return "\(node) is cancelled: \(token.isCancelled)" }
                let count = isCancelled ? 0 : node.children.count { isNeeded($0) } + (handled.contains(node) ? 1 : 0)
                if token.registrationCount != count { return "\(node) holds \(token.registrationCount), not \(count)" }
            }
            guard let watch = watches[node] else { continue }
            let runCount = runs.all.count { $0 == node }
            if runCount != (isCancelled && handled.contains(node) ? 1 : 0) {
                return "\(node) has run \(runCount) times"
            }
            let isHeld = handled.contains(node) && isAlive(node)
            if watch.isReleased == isHeld { return "the handler of \(node) is held: \(!watch.isReleased)" }
        }
        let timers = !hasTimePassed && isNeeded(.deadline) ? 1 : 0
        if manual.timerCount != timers || manual.pendingCount != timers { return "\(manual.pendingCount) timers" }
        return nil
    }
}
