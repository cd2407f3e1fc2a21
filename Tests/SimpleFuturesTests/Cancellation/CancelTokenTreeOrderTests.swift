import Testing

@testable import SimpleFutures
@testable import TestSupport

@Suite("CancelToken: the order of steps when a tree is canceled", .watchdog)
struct CancelTokenTreeOrderTests {
    /// A root with two children, two children of each, and tokens with two of those as parents.
    private struct Family {
        let root = CancelToken()
        let manual = ManualContext()
        let all: [CancelToken]

        init() {
            let children = [root.child(), root.child()]
            let grandchildren = children.flatMap { [$0.child(), $0.child()] }
            let any = CancelToken(
                anyOf: grandchildren[1], grandchildren[2], CancelToken(after: .seconds(9), context: manual))
            all = [root] + children + grandchildren + [any]
        }
    }

    @Test func `handlers run top-down, and for siblings in the order of creation`() {
        let family = Family()
        let log = Log<Int>()
        for (number, token) in family.all.enumerated().reversed() {
            for handler in 0..<3 { token.onCancel { log.add(10 * number + handler) } }
        }
        family.root.cancel()
        #expect(log.all == (0..<24).map { 10 * ($0 / 3) + $0 % 3 })
    }

    @Test func `a deadline's timer is canceled after all is unsubscribed`() {
        let (root, source, log) = (CancelToken(), Future<Int>(), Log<Bool>())
        let derived = Box<[Future<Int>]>([])
        let clock = Watched { log.add(derived.value.allSatisfy { $0.isCancelled } && source.observerCount == 0) }
        let token = CancelToken(anyOf: root, CancelToken(after: .seconds(9), context: clock))
        derived.value = [token, root].map { source.map(context: immediate, cancelToken: $0) { $0 } }
        root.cancel()
        #expect(log.all == [true])
        derived.value = []
    }

    @Test(arguments: 0..<8)
    func `before the first handler runs, all tokens are canceled, unsubscribed and freed`(place: Int) {
        let family = Family()
        let source = Future<Int>()
        let context = ManualContext()
        let sources = [source, Future(value: 1)]
        var derived: [Future<Int>] = []
        for token in family.all { derived += sources.map { $0.map(context: context, cancelToken: token) { $0 } } }
        let log = Log<Bool>()
        let look: @Sendable () -> Void = { [derived] in
            log.add(
                family.all.allSatisfy { $0.isCancelled } && derived.allSatisfy { $0.isCancelled }
                    && source.observerCount == 0 && family.manual.timerCount == 0)
        }
        family.all[place].onCancel(look)
        // Callbacks for a future's cancellation also run after all of that.
        derived[2 * place].onCancel(context: immediate, look)
        family.root.cancel()
        #expect(log.all == [true, true])
        #expect(context.run() > 0)
        #expect(family.all.allSatisfy { $0.registrationCount == 0 })
    }

    @Test func `inside a callback all tokens are canceled at once, and handlers run when it returns`() {
        let family = Family()
        let source = Future<Int>()
        let log = Log<String>()
        for token in family.all {
            token.onCancel { log.add("handler") }
            source.onSuccess(context: immediate, cancelToken: token) { _ in log.add("detached") }
        }
        Future(value: 1).onSuccess(context: immediate) { _ in
            family.root.cancel()
            source.success(1)
            log.add(family.all.allSatisfy { $0.isCancelled } && family.manual.timerCount == 0 ? "cancelled" : "not yet")
        }
        #expect(log.all == ["cancelled"] + Array(repeating: "handler", count: 8))
    }

    @Test func `a handler can remove later handlers of its token and of descendants`() {
        let family = Family()
        let log = Log<Int>()
        let registrations = Box<[Registration]>([])
        family.root.onCancel { log.add(registrations.value.count { $0.cancel() }) }
        registrations.value = family.all.map { token in token.onCancel { log.add(-1) } }
        family.root.cancel()
        #expect(log.all == [8])
    }

    @Test func `a handler can cancel parents and children, and each handler still runs once`() {
        let family = Family()
        let log = Log<Int>()
        for (number, token) in family.all.enumerated() {
            token.onCancel {
                for other in family.all { other.cancel() }
                log.add(number)
            }
        }
        family.all[3].cancel()
        #expect(log.all.sorted() == Array(0..<8))
        #expect(log.all.first == 3)
    }

    @Test func `children that a handler creates from a canceled token are canceled`() {
        let parent = CancelToken()
        let child = parent.child()
        let log = Log<Bool>()
        parent.onCancel {
            for token in [parent.child(), child.child(), CancelToken(anyOf: child, CancelToken())] {
                log.add(token.isCancelled)
                token.onCancel { log.add(true) }
            }
        }
        parent.cancel()
        #expect(log.all == Array(repeating: true, count: 6))
        #expect(parent.registrationCount == 0 && child.registrationCount == 0)
    }

    @Test(arguments: [true, false])
    func `the effects of a handler come before the next handler`(isOfChild: Bool) {
        let parent = CancelToken()
        let promise = Promise<Int>()
        let log = Log<String>()
        promise.future.onSuccess(context: immediate) { _ in log.add("caused") }
        parent.onCancel { promise.success(1) }
        (isOfChild ? parent.child() : parent).onCancel { log.add("next") }
        parent.cancel()
        #expect(log.all == ["caused", "next"])
    }

    @Test func `calls made while a capture is released take effect`() {
        let log = Log<String>()
        let source = Future<Int>()
        let parent = CancelToken()
        let child = parent.child()
        let other = CancelToken()
        other.child().onCancel { log.add("other") }
        do {
            let capture = AtDeinit {
                #expect(parent.isCancelled && child.isCancelled && parent.child().isCancelled)
                other.cancel()
                parent.onCancel { log.add("late") }
                log.add("release")
            }
            source.onSuccess(context: immediate, cancelToken: child) { _ in capture.use() }
        }
        parent.onCancel { log.add("handler") }
        parent.cancel()
        #expect(log.all.first == "release")
        #expect(Set(log.all) == ["release", "handler", "other", "late"] && log.count == 4)
    }

    @Test func `the release of a handler can cancel the handler's tree`() {
        let parent = CancelToken()
        let log = Log<String>()
        parent.child().onCancel { log.add("child") }
        let registration = Box(Registration())
        do {
            let end = AtDeinit { parent.cancel() }
            registration.value = parent.onCancel { end.use() }
        }
        #expect(registration.value.cancel())
        #expect(parent.isCancelled)
        #expect(log.all == ["child"])
    }

    @Test func `streams under a child end before a handler of the parent runs, also if no caller holds them`() {
        let (source, token, log) = (StreamPromise<Int>(capacity: 0), CancelToken(), Log<String>())
        let child = token.child()
        do {
            let inner = source.stream.map(context: immediate, cancelToken: child) { $0 }
            inner.onCancel(context: immediate) { log.add("inner") }
            inner.map(context: immediate) { $0 }.onSuccess(context: immediate, cancelToken: token) { _ in }
        }
        token.onCancel { log.add("parent") }
        child.onCancel { log.add("child") }
        token.cancel()
        #expect(log.all == ["inner", "parent", "child"])
    }

    @Test(arguments: [true, false])
    func `a link releases its subscriber when it leaves, even if the stream is gone`(isGone: Bool) {
        let token = CancelToken()
        var stream: FutureStream<Int>? = FutureStream(producedWith: 0)
        var subscriber: Subscriber? = Subscriber(.everything)
        weak var weakSubscriber: Subscriber?
        weakSubscriber = subscriber
        let link = stream.map { SubscriberLink(subscriber!, of: $0.core, under: token) }!
        subscriber?.link = link
        if isGone { stream = nil }
        subscriber = nil
        link.leave()
        #expect(weakSubscriber == nil)
        withExtendedLifetime(stream) {}
    }
}
