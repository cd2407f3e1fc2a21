import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Future.cancel", .watchdog)
struct FutureCancelTests {
    private let token = CancelToken()
    private let log = Log<String>()

    @Test func `it unsubscribes from this future, at once, and returns whether there was anything to unsubscribe`() {
        let (here, there) = (Future<Int>(), Future<Int>())
        // In code for SimpleFutures 0.2 the result is ignored.
        here.cancel(token)
        #expect(!here.cancel(token))
        let watch = Watch { probe in
            here.onSuccess(context: immediate, cancelToken: token) { _ in probe.use() }
        }
        for (name, future) in [("here", here), ("there", there)] {
            future.onSuccess(context: immediate, cancelToken: token) { _ in log.add(name) }
        }
        let derived = here.map(context: immediate, cancelToken: token) { $0 }
        #expect(here.cancel(token))
        #expect(watch.isReleased)
        #expect(derived.isCancelled)
        #expect(!token.isCancelled)
        #expect(!here.cancel(token))
        here.success(1)
        there.success(2)
        #expect(log.all == ["there"])
        // A callback that has run can no longer be unsubscribed.
        #expect(!there.cancel(token))
    }

    @Test func `callbacks with another token stay, and the token runs no handlers and can be used again`() {
        let future = Future<Int>()
        token.onCancel { log.add("handler") }
        for (name, token) in [("none", CancelToken.none), ("before", token), ("other", CancelToken())] {
            future.onSuccess(context: immediate, cancelToken: token) { _ in log.add(name) }
        }
        #expect(future.cancel(token))
        future.onSuccess(context: immediate, cancelToken: token) { _ in log.add("after") }
        future.success(1)
        #expect(log.all == ["none", "other", "after"])
    }

    @Test func `all its registrations are unsubscribed before a callback runs`() {
        let future = Future<Int>()
        let derived = (0..<2).map { _ in future.map(context: immediate, cancelToken: token) { $0 } }
        for one in derived {
            one.onCancel(context: immediate) { log.add(derived.allSatisfy(\.isCancelled) ? "after" : "too early") }
        }
        #expect(future.cancel(token))
        #expect(log.all == ["after", "after"])
    }

    @Test(arguments: [1, 100], [true, false])
    func `it finds its registrations among many of the token and many of the future, also if they are dispatched`(
        others: Int, isDispatched: Bool
    ) {
        let (future, elsewhere, context, log) = (Future<Int>(), Future<Int>(), ManualContext(), log)
        for _ in 0..<others { elsewhere.onSuccess(context: immediate, cancelToken: token) { _ in } }
        for _ in 0..<50 { future.onSuccess(context: context) { _ in log.add("kept") } }
        for _ in 0..<3 { future.onSuccess(context: context, cancelToken: token) { _ in log.add("detached") } }
        let derived = future.map(context: context, cancelToken: token) { $0 }
        if isDispatched { future.success(1) }
        #expect(future.cancel(token))
        #expect(!future.cancel(token))
        #expect(derived.isCancelled)
        #expect(token.registrationCount == others)
        if !isDispatched {
            #expect(future.observerCount == 50)
            future.success(1)
        }
        context.run()
        #expect(log.all == Array(repeating: "kept", count: 50))
    }

    @Test(arguments: [true, false])
    func `only the token reaches the second half of a flatMap, which is one registration`(isCanceled: Bool) {
        let inner = Future<Int>()
        let source = Future(value: 1)
        let derived = source.flatMap(context: immediate, cancelToken: token) { _ in inner }
        #expect(token.registrationCount == 1)
        #expect(!source.cancel(token))
        #expect(derived.ended == .pending)
        if isCanceled { token.cancel() } else { inner.success(2) }
        #expect(derived.ended == (isCanceled ? .cancelled : .success(2)))
        #expect(inner.ended == (isCanceled ? .pending : .success(2)))
        #expect(inner.observerCount == 0)
        #expect(token.registrationCount == 0)
    }
}

/// Every combinator, with a source in every state, whose closure has returned an inner future or stream, or still waits
/// for its context.
@Suite("Cancellation in every state of the inputs", .watchdog)
struct CancelInEveryStateTests {
    @Test(arguments: StreamCombinator.all.filter(\.takesToken), [true, false])
    func `the token or the last subscriber cancels a derived stream at once, and leaves nothing registered`(
        combinator: StreamCombinator, isByToken: Bool
    ) {
        for emitted in [[], [1], [1, 2]] {
            for (ending, fails, waits) in states(Emitter.Ending.allCases) {
                let (source, inner, clock) = (Emitter(), Inner(), ManualContext())
                let (token, subscriber) = (CancelToken(), CancelToken())
                let core = {
                    let derived = combinator.apply(
                        to: source.stream, on: waits ? clock : immediate, clock: clock, under: token, inner: inner.use)
                    derived.onComplete(context: immediate, cancelToken: subscriber) { _ in }
                    return derived.core
                }()
                for value in emitted { source.emit(value) }
                if fails { source.fail() }
                if let ending { source.end(ending) }
                let state: Comment = "\(emitted), fails: \(fails), waits: \(waits), \(ending?.rawValue ?? "open")"
                let end = core.end
                (isByToken ? token : subscriber).cancel()
                #expect(core.end == end ?? .cancellation, state)
                #expect(source.stream.core.subscriberCount == 0 && inner.isUnused, state)
                #expect(token.registrationCount == 0, state)
            }
        }
    }

    @Test(arguments: FutureCombinator.all.filter(\.takesToken))
    func `the token cancels a derived future at once, and leaves neither its closure nor a registration`(
        combinator: FutureCombinator
    ) {
        for (ending, isLate, waits) in states(Source.Ending.allCases) {
            let (source, inner, clock, token) = (Source(), Inner(), ManualContext(), CancelToken())
            if let ending, !isLate { source.end(ending) }
            let (derived, runs) = (Box<Future<Int>?>(nil), Box(0))
            let watch = Watch { probe in
                derived.value = combinator.apply(
                    to: source.future, on: waits ? clock : immediate, clock: clock, under: token, inner: inner.use
                ) { _ in
                    probe.use()
                    runs.increment()
                }
            }
            if let ending, isLate { source.end(ending) }
            let state: Comment = "\(ending.map { "\($0)" } ?? "open"), late: \(isLate), waits: \(waits)"
            let (end, runsBefore) = (derived.value?.ended, runs.value)
            token.cancel()
            #expect(derived.value?.ended == (end == .pending ? .cancelled : end), state)
            #expect(watch.isReleased, state)
            clock.run()
            #expect(runs.value == runsBefore, state)
            #expect(source.future.observerCount == 0 && inner.isUnused, state)
            #expect(token.registrationCount == 0, state)
        }
    }

    private func states<Ending>(_ endings: [Ending]) -> [(Ending?, Bool, Bool)] {
        (endings + [nil]).flatMap { ending in
            [true, false].flatMap { first in [true, false].map { (ending, first, $0) } }
        }
    }
}

/// A future and a stream for closures to return, which stay open.
private struct Inner {
    private let future = Future<Int>()
    private let stream = FutureStream<Int>(capacity: 0)

    var use: Use.Inner { Use.Inner(future: { [future] in future }, stream: { [stream] in stream }) }

    var isUnused: Bool { future.observerCount == 0 && stream.core.subscriberCount == 0 }
}
