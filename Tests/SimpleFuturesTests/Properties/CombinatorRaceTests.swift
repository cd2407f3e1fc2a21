import SimpleFutures
import Testing
@testable import TestSupport

/// In the configuration with delays, these tests follow schedules: see `Tests/README.md`.
@Suite("Combinators whose inputs, token, clock and holders are on different threads", .watchdog)
struct CombinatorRaceTests {
    enum Leaving: CaseIterable, Sendable {
        /// The inputs end.
        case never
        case cancellation
        /// The last subscriber leaves, and the handle is released.
        case release
    }

    /// A derived stream that one thread may cancel or release, and what its subscriber has got.
    private final class Derived: Sendable {
        let token = CancelToken()
        private let (stream, subscription) = (Box<FutureStream<Int>?>(nil), CancelToken())
        private let leaving: Leaving
        private let heard: Log<Heard<Int>>

        init(_ leaving: Leaving, _ make: (CancelToken) -> FutureStream<Int>) {
            self.leaving = leaving
            let stream = make(token)
            self.stream.value = stream
            // A callback for the end would be a subscriber that stays.
            heard = leaving == .release ? Log() : stream.heard()
            guard leaving == .release else { return }
            stream.onSuccess(context: immediate, cancelToken: subscription) { [heard] in heard.add(.value($0)) }
        }

        func leave() {
            switch leaving {
            case .never: break
            case .cancellation: token.cancel()
            case .release:
                _ = stream.change { $0.take() }
                subscription.cancel()
            }
        }

        var values: [Int] { heard.all.compactMap { if case .value(let value) = $0 { value } else { nil } } }

        /// Checks that there is one end, after the last element, and that nothing is registered.
        func check(_ inputs: [FutureStream<Int>]) throws {
            let all = heard.all
            let ends = all.indices.filter { all[$0] == .finish || all[$0] == .cancel }
            try verify(ends == (leaving == .release ? [] : [all.count - 1]), "one end, and that last: \(all)")
            try verify(all.last != .cancel || leaving == .cancellation, "not canceled: \(all)")
            try verify(inputs.allSatisfy { $0.core.subscriberCount == 0 }, "no subscriber")
            try verify(token.registrationCount == 0, "no registration")
        }
    }

    @Test(arguments: [true, false], Leaving.allCases)
    func `flatMap ends once, and flatMapLatest emits nothing of an inner stream that was replaced`(
        isLatest: Bool, leaving: Leaving
    ) throws {
        for _ in 0..<Stress.rounds(20) {
            let outer = StreamPromise<Int>(capacity: 0)
            let inner = (0..<3).map { _ in StreamPromise<Int>(capacity: 0) }
            let derived = Derived(leaving) { token in
                isLatest
                    ? outer.stream.flatMapLatest(context: immediate, cancelToken: token) { inner[$0].stream }
                    : outer.stream.flatMap(context: immediate, cancelToken: token) { inner[$0].stream }
            }
            together([
                {
                    for index in 0..<3 { outer.success(index) }
                    outer.finish()
                },
                { for index in 0..<3 { inner[index].success(index) } },
                {
                    for index in 0..<3 {
                        inner[index].success(index)
                        inner[index].finish()
                    }
                },
                { derived.leave() },
            ])
            try derived.check([outer.stream] + inner.map(\.stream))
            if isLatest { try verify(derived.values == derived.values.sorted(), "inner streams one after the other") }
        }
    }

    @Test(arguments: Pairing.allCases, Leaving.allCases)
    func `streams that two threads emit into are combined in order`(pairing: Pairing, leaving: Leaving) throws {
        for _ in 0..<Stress.rounds(20) {
            let (first, second) = (StreamPromise<Int>(capacity: 0), StreamPromise<Int>(capacity: 0))
            let derived = Derived(leaving) { pairing.make(first.stream, second.stream, $0) }
            together([
                {
                    for number in 1...3 { first.success(number) }
                    first.finish()
                },
                {
                    for number in 1...3 { second.success(number * 10) }
                    second.finish()
                },
                { derived.leave() },
            ])
            try derived.check([first.stream, second.stream])
            try verify(pairing.isPossible(derived.values, isWhole: leaving == .never), "\(derived.values)")
        }
    }

    enum Pairing: CaseIterable, Sendable {
        case merge, zip, combineLatest, withLatest

        func make(_ first: FutureStream<Int>, _ second: FutureStream<Int>, _ token: CancelToken) -> FutureStream<Int> {
            let sum: @Sendable (Int, Int) -> Int = { $0 + $1 }
            return switch self {
            case .merge: first.merge(second, cancelToken: token)
            case .zip: first.zip(second, cancelToken: token).map(context: immediate, mapping: sum)
            case .combineLatest: first.combineLatest(second, cancelToken: token).map(context: immediate, mapping: sum)
            case .withLatest: first.withLatest(from: second, cancelToken: token).map(context: immediate, mapping: sum)
            }
        }

        func isPossible(_ values: [Int], isWhole: Bool) -> Bool {
            let (ones, tens) = (values.map { $0 % 10 }, values.map { $0 / 10 })
            let areSorted = ones == ones.sorted() && tens == tens.sorted()
            return switch self {
            case .merge:
                [1, 2, 3].starts(with: values.filter { $0 < 10 })
                    && [10, 20, 30].starts(with: values.filter { $0 > 9 }) && (!isWhole || values.count == 6)
            case .zip: [11, 22, 33].starts(with: values) && (!isWhole || values.count == 3)
            case .combineLatest: areSorted && Set(values).count == values.count && (!isWhole || values.last == 33)
            case .withLatest: areSorted && Set(ones).count == ones.count
            }
        }
    }

    @Test(arguments: Pace.allCases, Leaving.allCases)
    func `timers of streams fire while elements arrive, and none is left`(pace: Pace, leaving: Leaving) throws {
        for _ in 0..<Stress.rounds(20) {
            let (source, clock) = (StreamPromise<Int>(capacity: 0), ManualContext())
            let derived = Derived(leaving) { pace.make(source.stream, clock, $0) }
            together([
                {
                    for number in 1...4 { source.success(number) }
                    if leaving != .release { source.finish() }
                },
                { for _ in 0..<4 { clock.advance(by: .milliseconds(600)) } },
                { derived.leave() },
            ])
            try derived.check([source.stream])
            let values = derived.values
            try verify(zip(values, values.dropFirst()).allSatisfy { $0 < $1 }, "in order: \(values)")
            if leaving == .never, pace != .timeout { try verify(values.last == 4, "the waiting value: \(values)") }
            try verify(clock.pendingCount == 0, "no timer")
        }
    }

    enum Pace: CaseIterable, Sendable {
        case debounce, throttle, timeout

        func make(_ source: FutureStream<Int>, _ clock: ManualContext, _ token: CancelToken) -> FutureStream<Int> {
            switch self {
            case .debounce: source.debounce(.seconds(1), context: clock, cancelToken: token)
            case .throttle: source.throttle(.seconds(1), context: clock, cancelToken: token)
            case .timeout: source.timeout(.seconds(1), context: clock, cancelToken: token)
            }
        }
    }

    @Test(arguments: Leaving.allCases)
    func `a timeout, a delay and a retry end once and leave no timer`(leaving: Leaving) throws {
        for _ in 0..<Stress.rounds(20) {
            let (promise, clock, token, work) = (Promise<Int>(), ManualContext(), CancelToken(), CancelToken())
            let futures = Box([
                promise.future.timeout(.seconds(1), cancelling: work, context: clock, cancelToken: token),
                promise.future.delay(.seconds(1), context: clock, cancelToken: token),
                .retry(2, delay: .seconds(1), context: clock, cancelToken: token) { Future(error: Oops.source) },
            ])
            let (ends, timeouts) = (Log<Int>(), Log<Void>())
            if leaving != .release {
                for (index, future) in futures.value.enumerated() {
                    future.onComplete(context: immediate) { _ in ends.add(index) }
                    future.onCancel(context: immediate) { ends.add(index) }
                }
                futures.value[0].onFailure(context: immediate) { _ in timeouts.add(()) }
            }
            together([
                { promise.success(1) },
                { for _ in 0..<3 { clock.advance(by: .seconds(1)) } },
                {
                    if leaving == .cancellation { token.cancel() }
                    if leaving == .release { futures.change { $0.removeAll() } }
                },
            ])
            // The delay may have begun after the last step.
            clock.advance(by: .seconds(1))
            try verify(ends.all.sorted() == (leaving == .release ? [] : [0, 1, 2]), "one end each: \(ends.all)")
            if leaving != .release { try verify(work.isCancelled == (timeouts.count == 1), "canceled after a timeout") }
            try verify(clock.pendingCount == 0 && token.registrationCount == 0, "no timer and no registration")
            try verify(promise.future.observerCount == 0, "no observer")
        }
    }

    @Test func `a stream ends once, after all of its producers, or early by finish`() throws {
        for finishes in [true, false] {
            for _ in 0..<Stress.rounds(20) {
                let target = Box<StreamPromise<Int>?>(StreamPromise(capacity: 0))
                let (source, future) = (StreamPromise<Int>(capacity: 0), Promise<Int>())
                let heard = target.value!.stream.heard()
                together([
                    {
                        target.value?.completeWith(stream: source.stream)
                        target.value?.completeWith(future: future.future)
                        _ = target.change { $0.take() }
                    },
                    {
                        source.success(1)
                        source.finish()
                    },
                    { future.success(2) },
                    { if finishes { target.value?.finish() } },
                ])
                let all = heard.all
                try verify(all.last == .finish && all.filter { $0 == .finish }.count == 1, "one end: \(all)")
                try verify(finishes || all.contains(2), "the future's value: \(all)")
                try verify(source.stream.core.subscriberCount == 0, "no subscriber")
                try verify(future.future.observerCount == 0, "no observer")
            }
        }
    }

    @Test(arguments: [Duration.zero, .seconds(1)])
    func `shared work goes on for a caller that joins while others leave and forget it`(grace: Duration) throws {
        for forgets in [true, false] {
            for _ in 0..<Stress.rounds(10) {
                let (clock, started, canceled) = (ManualContext(), Log<Promise<Int>>(), Log<Void>())
                let work = SharedWork<WithoutKey, Int>(gracePeriod: grace, context: clock) { token in
                    let promise = Promise<Int>()
                    started.add(promise)
                    token.onCancel {
                        canceled.add(())
                        promise.tryFailure(Oops.source)
                    }
                    return promise.future
                }
                let (first, second) = (Box<Future<Int>?>(work.future()), Box<Future<Int>?>(nil))
                together([
                    { _ = first.change { $0.take() } },
                    {
                        second.value = work.future()
                        if forgets { work.forget() }
                    },
                    { clock.advance(by: .seconds(2)) },
                    { _ = work.future() },
                ])
                for promise in started.all { promise.trySuccess(1) }
                try verify(second.value?.ended == .success(1), "a value, not a cancellation of the work")
                if !forgets { try verify(canceled.count == started.count - 1, "work without callers is canceled") }
                clock.advance(by: .seconds(2))
                try verify(work.count == 0 && clock.pendingCount == 0, "no entry and no timer")
            }
        }
    }
}
