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

    @Test func `a child can be canceled with its parent or alone`() {
        let parent = CancelToken()
        let one = parent.child()
        let two = parent.child()
        one.cancel()
        #expect(one.isCancelled && !two.isCancelled && !parent.isCancelled)
        parent.cancel()
        #expect(two.isCancelled)
    }

    @Test func `callbacks registered with a child are unsubscribed with the parent`() {
        let parent = CancelToken()
        let grandchild = parent.child().child()
        let source = Future<Int>()
        let log = Log<Int>()
        source.onSuccess(context: immediate, cancelToken: grandchild) { log.add($0) }
        let derived = source.map(context: immediate, cancelToken: grandchild) { $0 }
        parent.cancel()
        #expect(derived.isCancelled)
        #expect(source.observerCount == 0 && grandchild.registrationCount == 0)
        source.success(1)
        #expect(log.count == 0)
    }

    @Test func `callbacks registered with the parent stay when a child is canceled`() {
        let parent = CancelToken()
        let child = parent.child()
        let source = Future<Int>()
        let derived = source.map(context: immediate, cancelToken: parent) { $0 }
        child.cancel()
        source.success(1)
        #expect(derived.ended == .success(1))
    }

    @Test func `a child of a canceled token is canceled`() {
        let parent = CancelToken()
        parent.cancel()
        let child = parent.child()
        let log = Log<Int>()
        child.onCancel { log.add(1) }
        #expect(child.isCancelled && child.child().isCancelled)
        #expect(Future(value: 1).map(context: immediate, cancelToken: child) { $0 }.isCancelled)
        #expect(log.all == [1])
        #expect(parent.registrationCount == 0)
    }

    @Test func `a child of none can only be canceled alone`() {
        let child = CancelToken.none.child()
        let log = Log<Int>()
        child.onCancel { log.add(1) }
        CancelToken.none.cancel()
        #expect(!child.isCancelled && child != .none)
        child.cancel()
        #expect(child.isCancelled)
        #expect(log.all == [1])
    }

    @Test(arguments: 0..<3)
    func `the first of several parents cancels a token`(first: Int) {
        let tokens = (0..<3).map { _ in CancelToken() }
        let any = CancelToken(anyOf: tokens[0], tokens[1], tokens[2])
        let log = Log<Int>()
        any.onCancel { log.add(1) }
        #expect(tokens.allSatisfy { $0.registrationCount == 1 })
        tokens[first].cancel()
        #expect(any.isCancelled)
        #expect(tokens.map(\.isCancelled) == (0..<3).map { $0 == first })
        #expect(tokens.allSatisfy { $0.registrationCount == 0 })
        for token in tokens { token.cancel() }
        #expect(log.all == [1])
    }

    @Test(arguments: 0..<3)
    func `a token with a canceled parent is canceled, and not registered with any parent`(position: Int) {
        var tokens = [CancelToken(), CancelToken()]
        let cancelled = CancelToken()
        cancelled.cancel()
        tokens.insert(cancelled, at: position)
        #expect(CancelToken(anyOf: tokens).isCancelled)
        #expect(tokens.allSatisfy { $0.registrationCount == 0 })
        #expect(tokens.count { $0.isCancelled } == 1)
    }

    @Test func `a token without parents, or with none as its parent, can only be canceled alone`() {
        for token in [CancelToken(anyOf: []), CancelToken(anyOf: .none), CancelToken(anyOf: .none, .none)] {
            #expect(!token.isCancelled && token.registrationCount == 0)
            token.cancel()
            #expect(token.isCancelled)
        }
        let token = CancelToken()
        let any = CancelToken(anyOf: .none, token, .none)
        token.cancel()
        #expect(any.isCancelled)
    }

    @Test(arguments: [true, false])
    func `a token with the same parent twice is canceled once, and stays registered until then`(isDropped: Bool) {
        let token = CancelToken()
        let log = Log<Int>()
        var any: CancelToken? = CancelToken(anyOf: token, token)
        let registration = any?.onCancel { log.add(1) }
        #expect(token.registrationCount == 2)
        if isDropped {
            any = nil
            #expect(token.registrationCount == 2)
            registration?.cancel()
            #expect(token.registrationCount == 0)
        }
        token.cancel()
        #expect(token.registrationCount == 0)
        #expect(log.count == (isDropped ? 0 : 1))
    }

    @Test func `parents can be passed as a lazy sequence`() {
        let manual = ManualContext()
        let made = (1...3).lazy.map { CancelToken(after: .seconds($0), context: manual) }
        let any = CancelToken(anyOf: made)
        #expect(manual.timerCount == 3)
        manual.advance(by: .seconds(1))
        #expect(any.isCancelled)
        #expect(manual.timerCount == 0)
    }

    @Test func `a diamond is canceled once, whatever the path`() {
        let top = CancelToken()
        let left = top.child()
        let right = top.child()
        let bottom = CancelToken(anyOf: left, right)
        let log = Log<String>()
        for (name, token) in [("bottom", bottom), ("right", right), ("left", left), ("top", top)] {
            token.onCancel { log.add(name) }
        }
        top.cancel()
        #expect(log.all == ["top", "left", "right", "bottom"])
        #expect([top, left, right, bottom].allSatisfy { $0.isCancelled && $0.registrationCount == 0 })
    }
}
