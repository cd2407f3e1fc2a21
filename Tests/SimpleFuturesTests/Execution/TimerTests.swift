import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("ExecutionContext.execute(after:)", .watchdog)
struct TimerTests {
    enum Kind: CaseIterable, Sendable {
        case immediate, queue, main, mainImmediate, global, dispatchQueue, inline, serial

        var context: any ExecutionContext {
            switch self {
            case .immediate: ImmediateContext()
            case .queue: QueueContext(queue: Queue("test"))
            case .main: QueueContext.main
            case .mainImmediate: QueueContext.mainImmediate
            case .global: QueueContext.global
            case .dispatchQueue: DispatchQueue(label: "test")
            case .inline: InlineContext()
            case .serial: SerialContext()
            }
        }
    }

    static let soon: [Duration] = [
        .zero, .milliseconds(1), .nanoseconds(1), .seconds(-1), .seconds(Int64.min), .zero - .nanoseconds(1),
    ]
    static let never: [Duration] = [
        .seconds(Int64.max), .seconds(Int64.max / 1_000_000_000), .seconds(Int64.max / 1_000_000_000 + 1),
        .seconds(3600), .seconds(Int64.max) + .nanoseconds(999_999_999),
    ]

    @Test(arguments: Kind.allCases, soon)
    func `a short or negative delay ends soon`(kind: Kind, delay: Duration) async {
        let registration = await withCheckedContinuation { done in
            let registration = Future<Registration>()
            let timer = kind.context.execute(after: delay) {
                registration.onSuccess(context: immediate) { done.resume(returning: $0) }
            }
            registration.success(timer)
        }
        #expect(!registration.cancel())
    }

    @Test(arguments: Kind.allCases, never)
    func `a long delay does no harm and can be canceled`(kind: Kind, delay: Duration) {
        let log = Log<Void>()
        var registration = Registration()
        let watch = Watch { probe in
            registration = kind.context.execute(after: delay) {
                probe.use()
                log.add(())
            }
        }
        #expect(!watch.isReleased)
        #expect(registration.cancel())
        #expect(watch.isReleased)
        #expect(!registration.cancel())
        #expect(log.count == 0)
    }

    @Test(arguments: Kind.allCases)
    func `the task runs also if the registration is dropped, and is released when it has run`(kind: Kind) async {
        let context = kind.context
        let probe = Lock<Probe?>(Probe())
        weak let weakProbe = probe.withLock { $0 }
        context.execute(after: .zero) { [probe = probe.withLock { $0 }] in probe?.use() }
        probe.withLock { $0 = nil }
        await withCheckedContinuation { done in context.execute(after: .milliseconds(5)) { done.resume() } }
        #expect(weakProbe == nil)
    }

    @Test(arguments: [true, false])
    func `a timer that has run or was canceled does not keep its context`(runs: Bool) async {
        weak var context: SerialContext?
        do {
            let made = SerialContext()
            context = made
            if runs {
                await withCheckedContinuation { done in made.execute(after: .zero) { done.resume() } }
            } else {
                made.execute(after: .seconds(3600)) {}.cancel()
            }
        }
        await until { context == nil }
    }

    @Test func `a task that waits in its context after its timer has fired can still be canceled`() async {
        struct Waiting: ExecutionContext {
            let tasks = Log<@Sendable () -> Void>()

            func execute(_ task: @escaping @Sendable () -> Void) { tasks.add(task) }
        }
        let (context, log) = (Waiting(), Log<Void>())
        let registration = context.execute(after: .zero) { log.add(()) }
        await until { context.tasks.count > 0 }
        #expect(registration.cancel())
        for task in context.tasks.all { task() }
        #expect(log.count == 0)
    }

    @Test func `a timer can be canceled from another thread while it fires`() async {
        let context = QueueContext(queue: Queue("test"))
        for _ in 0..<100 {
            let log = Log<Void>()
            let registration = context.execute(after: .zero) { log.add(()) }
            let prevented = await onThread { registration.cancel() }
            context.queue.sync {}
            #expect(!prevented || log.count == 0)
        }
    }
}

@Suite("Registration", .watchdog)
struct RegistrationTests {
    @Test(arguments: [true, false])
    func `it returns its closure's result, which can be ignored, also on another thread; an empty one returns false`(
        prevented: Bool
    ) async {
        let log = Log<Void>()
        let registration = Registration {
            log.add(())
            return prevented
        }
        #expect(log.count == 0)
        #expect(registration.cancel() == prevented)
        #expect(await onThread { registration.cancel() } == prevented)
        registration.cancel()
        #expect(log.count == 3)
        #expect(!Registration().cancel())
    }
}
