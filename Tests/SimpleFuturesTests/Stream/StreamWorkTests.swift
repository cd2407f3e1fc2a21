import Foundation
import Testing

@testable import SimpleFutures
@testable import TestSupport

@Suite("A mailbox during delivery", .watchdog)
struct MailboxLifeTests {
    private final class Observed: Sendable {
        nonisolated(unsafe) weak var mailbox: Mailbox?
        let stream = FutureStream<Int>(capacity: 0)

        var hasMailboxes: Bool { stream.core.withState { !$0.mailboxes.all.isEmpty } }

        func observe() { mailbox = stream.core.withState { $0.mailboxes.all.first } }
    }

    @Test func `is kept as long as a callback waits, even if its last subscriber is removed`() async {
        let observed = Observed()
        let token = CancelToken()
        let hasBegun = Signal()
        let goesOn = Promise<Void>()
        observed.stream.onSuccess(context: ImmediateContext(), cancelToken: token) { _ in
            hasBegun.open()
            try? goesOn.future.wait()
        }
        observed.observe()
        #expect(observed.mailbox != nil)
        async let emitted: Void = onThread { observed.stream.success(1) }
        await onThread {
            #expect(hasBegun.pass())
            token.cancel()
            while observed.hasMailboxes { sched_yield() }
            #expect(observed.mailbox != nil)
            goesOn.success()
        }
        await emitted
        #expect(observed.mailbox == nil)
    }

    @Test func `is removed if a wait is over when its last subscriber has left`() async {
        let (outer, observed, token) = (Future<Void>(), Observed(), CancelToken())
        observed.stream.onSuccess(context: ImmediateContext(), cancelToken: token) { _ in
            token.cancel()
            Thread.sleep(forTimeInterval: 0.1)
        }
        outer.onSuccess(context: ImmediateContext()) {
            observed.stream.success(1)
            _ = try? Future<Void>().wait(timeout: .milliseconds(50))
        }
        await onThread { outer.success() }
        #expect(!observed.hasMailboxes)
    }

    @Test(arguments: [false, true])
    func `of an ended stream does not hold a context that has its task, after a wait or for a later subscriber`(
        isInWait: Bool
    ) {
        weak var released: ReversingContext?
        let (stream, outer) = (FutureStream<Int>(capacity: 1), Future<Void>())
        let derived = Box<FutureStream<Int>?>(nil)
        stream.success(1)
        do {
            let context = ReversingContext()
            released = context
            if isInWait { stream.finish() }
            outer.onSuccess(context: immediate) { [context] in
                derived.value = stream.map(context: context) { $0 }
                if isInWait { ImmediateContext.runPending() }
            }
            outer.success()
            stream.finish()
            if !isInWait { stream.onSuccess(context: context) { _ in } }
        }
        #expect(released == nil)
        #expect(derived.value?.state == [.broken, .finish])
    }
}

@Suite("The work behind a stream", .watchdog)
struct StreamWorkTests {
    private let stopped = Box(0)
    private let stream = Box<FutureStream<Int>?>(FutureStream(producedWith: 0))

    // Retained during a test, as an emitting producer does.
    private var core: StreamCore { stream.value!.core }

    private func begin(_ core: StreamCore) { core.setWork(Work(stopped)) }

    private final class Work: StreamWork {
        private let stopped: Box<Int>

        init(_ stopped: Box<Int>) { self.stopped = stopped }

        func listenersHaveChanged() {}

        func stop() { stopped.increment() }
    }

    @Test func `it is stopped once, when the stream ends or is dropped without listeners`() {
        begin(core)
        #expect(stopped.value == 0)
        stream.value = nil
        #expect(stopped.value == 1)
        stream.value = FutureStream(producedWith: 0)
        begin(core)
        core.finish()
        #expect(stopped.value == 2)
        stream.value = nil
        #expect(stopped.value == 2)
    }

    @Test func `it is stopped when the last listener of a dropped stream unsubscribes`() {
        let core = core
        let tokens = [CancelToken(), CancelToken()]
        for token in tokens { stream.value?.onSuccess(context: immediate, cancelToken: token) { _ in } }
        begin(core)
        stream.value = nil
        tokens[0].cancel()
        #expect(stopped.value == 0)
        tokens[1].cancel()
        #expect(stopped.value == 1)
        core.finish()
        #expect(stopped.value == 1)
    }

    @Test func `it is stopped when a context drops the task of the last listener of a dropped stream`() {
        let core = core
        stream.value?.onSuccess(context: DroppingContext()) { _ in }
        begin(core)
        stream.value = nil
        #expect(stopped.value == 0)
        core.pass(Try.success(1))
        #expect(stopped.value == 1)
    }

    @Test(arguments: [true, false])
    func `it is stopped at once if the stream has already ended or is unreachable`(hasEnded: Bool) {
        let core = core
        if hasEnded { core.finish() } else { stream.value = nil }
        begin(core)
        #expect(stopped.value == 1)
        core.finish()
        #expect(stopped.value == 1)
    }

    @Test(arguments: [0, 1], ["first", "take", "first, by its stream", "take, by its stream"])
    func `a token that is canceled when the source has been left cancels what waits for the last element`(
        _ levels: Int, way: String
    ) {
        let (token, left) = (CancelToken(), Box<StreamCore?>(nil))
        core.setWork(
            WithoutListeners { [core] in
                guard core.listeners.count == 0 else { return }
                // Called again for this change.
                guard let derived = left.change({ $0.take() }) else { return }
                if way.hasSuffix("stream") { #expect(derived.cancel(token)) } else { token.cancel() }
            })
        var derived = stream.value!
        for _ in 0..<levels { derived = derived.map(context: immediate) { $0 } }
        left.value = derived.core
        if way.hasPrefix("first") {
            let future = derived.first(cancelToken: token)
            derived = FutureStream()
            core.pass(Try.success(1))
            #expect(future.isCancelled)
        } else {
            let last = derived.take(1, cancelToken: token)
            derived = FutureStream()
            let answer = last.first()
            core.pass(Try.success(1))
            #expect(answer.isCancelled)
        }
        core.finish()
    }
}

/// Work that acts between the leaving of the last listener and what follows.
private final class WithoutListeners: StreamWork {
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) { self.action = action }

    func listenersHaveChanged() { action() }

    func stop() {}
}
