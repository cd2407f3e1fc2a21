import SimpleFutures
import Testing
@testable import TestSupport

@Suite("CancelToken(after:)", .watchdog)
struct CancelTokenDeadlineTests {
    private let manual = ManualContext()

    private func deadline(_ seconds: Int = 10) -> CancelToken { CancelToken(after: .seconds(seconds), context: manual) }

    @Test func `it is canceled at its deadline, and after zero or less as soon as the context runs it`() {
        let token = deadline()
        let soon = [Duration.zero, .seconds(-1), .nanoseconds(-1)].map { CancelToken(after: $0, context: manual) }
        let source = Future<Int>()
        let derived = source.map(context: immediate, cancelToken: token) { $0 }
        let log = Log<Duration>()
        token.onCancel { log.add(manual.now) }
        #expect(soon.allSatisfy { !$0.isCancelled })
        manual.advance(by: .zero)
        #expect(soon.allSatisfy { $0.isCancelled })
        manual.advance(by: .milliseconds(9_999))
        #expect(!token.isCancelled)
        manual.advance(by: .milliseconds(1))
        #expect(token.isCancelled && derived.isCancelled)
        #expect(log.all == [.seconds(10)])
        #expect(manual.pendingCount == 0)
    }

    @Test func `handlers run on its context at the deadline, or on the thread that cancels it`() async {
        let context = SerialContext()
        // The deadline has passed, but the context is busy until there is a handler.
        let gate = Gate()
        context.execute { gate.pass() }
        let onContext: Bool = await withCheckedContinuation { done in
            CancelToken(after: .milliseconds(1), context: context)
                .onCancel { done.resume(returning: context.isCurrent) }
            gate.open()
        }
        #expect(onContext)
        let log = Log<Bool>()
        let token = CancelToken(after: .seconds(3600), context: context)
        token.child().onCancel { log.add(context.isCurrent) }
        token.cancel()
        #expect(log.all == [false])
    }

    @Test func `the earliest of several deadlines counts, also of a lazy sequence`() {
        let any = CancelToken(anyOf: (1...3).lazy.map { deadline($0) })
        #expect(manual.timerCount == 3)
        manual.advance(by: .seconds(1))
        #expect(any.isCancelled)
        #expect(manual.pendingCount == 0)
    }

    @Test func `a waiter need not hold the token`() {
        let log = Log<Int>()
        let source = Future<Int>()
        let derived = source.map(context: immediate, cancelToken: deadline()) { $0 }
        deadline().onCancel { log.add(1) }
        deadline().child().child().onCancel { log.add(2) }
        let child = deadline().child()
        #expect(manual.timerCount == 4)
        manual.advance(by: .seconds(10))
        #expect(derived.isCancelled && child.isCancelled)
        #expect(log.all == [1, 2])
        #expect(manual.pendingCount == 0)
    }

    @Test func `it can end while its timer is queued on its context`() {
        let token = deadline()
        let log = Log<Int>()
        token.onCancel { log.add(1) }
        // The first of two timers that are due at the same time cancels the second.
        let first = deadline()
        let second = deadline()
        first.onCancel { second.cancel() }
        second.onCancel { log.add(2) }
        manual.execute(after: .seconds(1)) { token.cancel() }
        manual.advance(by: .seconds(10))
        #expect(log.all == [1, 2])
        #expect(manual.pendingCount == 0)
    }

    @Test func `with a context that drops timers, the token can still be canceled by a call`() {
        let watch = Watch { probe in
            let token = CancelToken(after: .seconds(1), context: TimerDroppingContext())
            token.onCancel { probe.use() }
            #expect(!token.isCancelled)
        }
        #expect(watch.isReleased)
        let token = CancelToken(after: .seconds(1), context: TimerDroppingContext())
        token.cancel()
        #expect(token.isCancelled)
    }

    @Test func `releasing a context releases its timers`() {
        var context: ManualContext? = ManualContext()
        let watch = Watch { probe in
            CancelToken(after: .seconds(1), context: context ?? manual).onCancel { probe.use() }
        }
        #expect(!watch.isReleased)
        context = nil
        #expect(watch.isReleased)
    }

    @Test func `contexts that run timers at once, or call back when a timer is freed`() {
        let log = Log<Bool>()
        let hasty = CancelToken(after: .seconds(1), context: HastyContext { log.add(true) })
        #expect(hasty.isCancelled)
        #expect(log.all == [true])
        let root = CancelToken()
        let context = Watched { log.add(root.isCancelled && root.child().isCancelled) }
        root.onCancel { log.add(true) }
        let any = CancelToken(anyOf: root, CancelToken(after: .seconds(1), context: context))
        root.cancel()
        #expect(any.isCancelled)
        #expect(log.all == [true, true, true])
    }
}

/// A user's context whose timers fire at once.
private struct HastyContext: ExecutionContext {
    let onCancel: @Sendable () -> Void

    func execute(_ task: @escaping @Sendable () -> Void) { task() }

    func execute(after delay: Duration, _ task: @escaping @Sendable () -> Void) -> Registration {
        task()
        return Registration {
            onCancel()
            return false
        }
    }
}
