import Dispatch
import Foundation
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promises 1 and 4: each callback once, each element once and in order", .watchdog, .serialized)
struct ExactlyOnceTests {
    @Test(arguments: Place.allCases)
    func `two racing completers run each callback once`(_ place: Place) {
        let spot = place.make()
        let winners = Box<[Int]>([])
        race(rounds: Stress.rounds(2_000)) {
            winners.value = []
            let arena = Arena()
            arena.register(on: spot.context)
            return arena
        } _: { arena in
            if arena.promise.trySuccess(1) { winners.append(1) }
        } _: { arena in
            if arena.promise.tryFailure(Failure(id: 2)) { winners.append(2) }
        } check: { arena in
            spot.settle()
            try verify(winners.value.count == 1, "one completer wins")
            try verify(arena.runs.value == 2, "each callback runs once, not \(arena.runs.value) in all")
            let isFirst = arena.promise.future.result?.isSuccess()
            try verify(isFirst == (winners.value == [1]), "the result is the winner's")
        }
    }

    @Test(arguments: Place.allCases, pairs(of: Step.allCases))
    func `in every race of two threads each callback runs once, or never if canceled`(
        _ place: Place, _ steps: [Step]
    ) {
        let spot = place.make()
        race(rounds: Stress.rounds(200)) {
            let arena = Arena()
            arena.register(on: spot.context, under: arena.token)
            arena.derive(on: spot.context)
            return arena
        } _: { arena in
            steps[0].take(arena, spot)
        } _: { arena in
            steps[1].take(arena, spot)
        } check: { arena in
            let wasCompleted = arena.future.completed
            arena.future.trySuccess(1)
            spot.settle()
            spot.settle()
            try arena.check()
            let mayBeCancelled = steps.contains(.cancelToken) || steps.contains(.cancelOnFuture)
            let all = 2 + 2 * steps.filter { $0 == .register }.count
            let runs = arena.runs.value
            if mayBeCancelled {
                try verify(runs <= all, "no callback runs twice")
                if !wasCompleted, !steps.contains(.register) { try verify(runs == 0, "what is cancelled does not run") }
                if let hasDetached = arena.hasDetached.value, !steps.contains(.cancelToken), !hasDetached {
                    try verify(runs >= 2, "cancel(token) says false, and \(runs) have run")
                }
            } else {
                try verify(runs == all, "each callback runs once, not \(runs) in all")
            }
        }
    }

    @Test(arguments: Place.allCases)
    func `cancel(token) returns true if and only if the callback never runs`(_ place: Place) {
        let spot = place.make()
        race { () -> Arena in
            let arena = Arena()
            arena.future.onSuccess(context: spot.context, cancelToken: arena.token) { [runs = arena.runs] _ in
                runs.increment()
            }
            return arena
        } _: { arena in
            arena.hasDetached.value = arena.future.cancel(arena.token)
        } _: { arena in
            arena.promise.success(1)
        } check: { arena in
            spot.settle()
            try verify(arena.runs.value == (arena.hasDetached.value == true ? 0 : 1), "\(arena.runs.value) have run")
        }
    }

    @Test func `of two sources that race to complete a future one wins, and both release it`() {
        race(rounds: Stress.rounds()) {
            let arena = Pair()
            arena.target.future.completeWith(future: arena.first.future)
            arena.target.future.completeWith(future: arena.second.future)
            arena.target.future.onSuccess(context: ImmediateContext()) { _ in arena.runs.increment() }
            return arena
        } _: { arena in
            arena.first.success(1)
        } _: { arena in
            arena.second.success(2)
        } check: { arena in
            try verify(arena.runs.value == 1, "the callback runs once")
            try verify(arena.target.future.completed, "one source wins")
            try verify(arena.first.future.observerCount == 0, "the first lets go")
            try verify(arena.second.future.observerCount == 0, "the second lets go")
        }
    }

    // MARK: Streams

    @Test(arguments: Audience.allCases)
    func `with eight emitting threads and changing subscribers, no element is lost, duplicated or out of order`(
        _ audience: Audience
    ) async {
        let emitters = 8
        let each = Stress.rounds(150)
        let stream = FutureStream<Int>()
        let context = audience.context
        let listeners = Box<[Listener]>([])
        await onThread {
            DispatchQueue.concurrentPerform(iterations: emitters + 2) { thread in
                guard thread < emitters else {
                    // One thread subscribes permanently, the other subscribes and unsubscribes.
                    for round in 0..<20 {
                        let isGuest = thread > emitters
                        let token = isGuest ? CancelToken() : CancelToken.none
                        let listener = Listener(isGuest: isGuest)
                        listeners.append(listener)
                        stream.onSuccess(context: context, cancelToken: token) { listener.hear($0) }
                        stream.onFinish(context: context, cancelToken: token) { listener.done.open() }
                        if isGuest {
                            for _ in 0..<round { sched_yield() }
                            if round.isMultiple(of: 2) { token.cancel() } else { stream.cancel(token) }
                        }
                    }
                    return
                }
                for number in 0..<each { stream.success(thread * 1_000_000 + number) }
            }
        }
        stream.finish()
        let order = stream.futures.compactMap { $0.result?.value }
        #expect(order.count == emitters * each)
        for listener in listeners.value {
            if !listener.isGuest { #expect(listener.done.pass()) }
            let heard = listener.heard.all
            #expect(!listener.hasOverlapped.value)
            #expect(heard == Array(order.prefix(heard.count)))
            if !listener.isGuest { #expect(heard.count == order.count) }
        }
        for emitter in 0..<emitters {
            #expect(order.filter { $0 / 1_000_000 == emitter } == (0..<each).map { emitter * 1_000_000 + $0 })
        }
    }

    @Test(arguments: [0, 1, 5])
    func `with a bounded replay buffer each subscriber gets consecutive elements`(_ capacity: Int) async {
        let stream = FutureStream<Int>(capacity: capacity)
        let listeners = Box<[Listener]>([])
        let count = Stress.rounds(2_000)
        await onThread {
            DispatchQueue.concurrentPerform(iterations: 3) { thread in
                guard thread > 0 else {
                    for number in 0..<count { stream.success(number) }
                    return
                }
                for _ in 0..<30 {
                    let listener = Listener(isGuest: false)
                    listeners.append(listener)
                    stream.onSuccess(context: ImmediateContext()) { listener.hear($0) }
                    sched_yield()
                }
            }
        }
        stream.success(count)
        // Another thread may have been asked to deliver the last elements.
        await until { listeners.value.allSatisfy { $0.heard.all.last == count } }
        for listener in listeners.value {
            let heard = listener.heard.all
            #expect(!listener.hasOverlapped.value)
            #expect(heard.last == count)
            #expect(heard == Array((heard.first ?? 0)...count))
        }
    }

    @Test(arguments: [true, false])
    func `after a token is canceled, no element is delivered that another thread emits`(
        _ isToken: Bool
    ) {
        let misses = Box(0)
        race(rounds: Stress.rounds(300)) {
            let arena = (stream: FutureStream<Int>(capacity: 0), token: CancelToken(), runs: Box(0), late: Box(false))
            let isOver = arena.late
            arena.stream.onSuccess(context: immediate, cancelToken: arena.token) { [runs = arena.runs] _ in
                if isOver.value { runs.value = -1_000 }
                runs.increment()
            }
            return arena
        } _: { arena in
            if isToken { arena.token.cancel() } else { arena.stream.cancel(arena.token) }
        } _: { arena in
            for value in 0..<10 { arena.stream.success(value) }
        } check: { arena in
            let before = arena.runs.value
            arena.late.value = true
            arena.stream.success(11)
            if arena.runs.value != before || arena.stream.core.subscriberCount != 0 { misses.increment() }
            try verify((0...10).contains(before), "as many as were emitted, not \(before)")
        }
        #expect(misses.value == 0)
    }

    /// Two racing steps that end a stream's parts, and the elements and ends that a subscriber can get.
    struct EndCase: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let possible: [[Heard<Int>]]
        let make: @Sendable (StreamArena) -> FutureStream<Int>
        let first: @Sendable (StreamArena) -> Void
        let second: @Sendable (StreamArena) -> Void

        static let all: [EndCase] = [
            .init(
                testDescription: "a token cancelled in the moment of the finish",
                possible: [[1, .finish], [1, .cancel], [.cancel]],
                make: { $0.stream.map(context: immediate, cancelToken: $0.token) { $0 } },
                first: { $0.token.cancel() }, second: { $0.finish($0.stream, with: 1) }),
            .init(
                testDescription: "a promise released in the moment of the finish", possible: [[.finish]],
                make: { $0.stream.map(context: immediate) { $0 } },
                first: { $0.promise.value = nil }, second: { $0.stream.finish() }),
            .init(
                testDescription: "the two sources of a merge", possible: [[1, 2, .finish], [2, 1, .finish]],
                make: { $0.stream.merge($0.other) },
                first: { $0.finish($0.stream, with: 1) }, second: { $0.finish($0.other, with: 2) }),
            .init(
                testDescription: "the outer and the inner stream of a flatMap", possible: [[1, .finish]],
                make: { arena in
                    let derived = arena.stream.flatMap(context: immediate) { [other = arena.other] _ in other }
                    arena.stream.success(0)
                    return derived
                },
                first: { $0.stream.finish() }, second: { $0.finish($0.other, with: 1) }),
        ]
    }

    @Test(arguments: EndCase.all)
    func `a derived stream ends once, after all elements, when two threads end it at the same time`(_ steps: EndCase) {
        race(rounds: Stress.rounds(300)) { () -> StreamArena in
            let arena = StreamArena()
            let derived = steps.make(arena)
            arena.log.value = derived.heard()
            arena.derived.value = derived
            return arena
        } _: { arena in
            steps.first(arena)
        } _: { arena in
            steps.second(arena)
        } check: { arena in
            let heard = arena.log.value!.all
            try verify(steps.possible.contains(heard), "one end and no more: \(heard)")
            try verify(arena.derived.value?.isFinished == (heard.last == .finish), "the state is what was heard")
            try verify(arena.token.registrationCount == 0, "nothing is left")
        }
    }

    @Test func `a future gets one element of a stream into which two threads emit`() {
        race(rounds: Stress.rounds(300)) {
            let stream = FutureStream<Int>(capacity: 0)
            let future = Future<Int>()
            future.completeWith(stream: stream)
            return (stream: stream, future: future)
        } _: { arena in
            arena.stream.success(1)
        } _: { arena in
            arena.stream.success(2)
        } check: { arena in
            try verify(arena.future.result?.value != nil, "it is completed")
            try verify(arena.stream.core.subscriberCount == 0, "no subscriber is left")
        }
    }

    @Test func `on a context that runs tasks twice each element is delivered once`() {
        for context in [RepeatingContext(), DoublingContext()] as [any ExecutionContext] {
            let stream = FutureStream<Int>()
            let log = stream.map(context: context) { $0 }.heard(on: context)
            for value in 0..<200 { stream.success(value) }
            stream.finish()
            #expect(log.all == (0..<200).map { .value($0) } + [.finish])
        }
    }

    @Test func `on a context that reorders tasks no element is lost or out of order`() {
        let context = ReversingContext()
        let stream = FutureStream<Int>()
        let log = stream.map(context: context) { $0 }.heard(on: context)
        for value in 0..<200 { stream.success(value) }
        context.run()
        stream.finish()
        context.run()
        #expect(log.all == (0..<200).map { .value($0) } + [.finish])
    }
}

/// A step that one of two threads takes with a future.
enum Step: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case complete, register, cancelToken, cancelOnFuture

    var testDescription: String { rawValue }

    fileprivate func take(_ arena: Arena, _ spot: Spot) {
        switch self {
        case .complete: arena.future.trySuccess(1)
        case .register: arena.register(on: spot.context, under: arena.token)
        case .cancelToken: arena.token.cancel()
        case .cancelOnFuture:
            let isFirst = arena.future.cancel(arena.token)
            arena.hasDetached.change { $0 = $0 == true || isFirst }
        }
    }
}

/// Returns all pairs of the elements.
private func pairs<Thing>(of things: [Thing]) -> [[Thing]] {
    things.indices.flatMap { index in things[index...].map { [things[index], $0] } }
}

/// The future, promise and token that two threads race for.
private final class Arena: Sendable {
    let promise = Promise<Int>()
    let token = CancelToken()
    let runs = Box(0)
    let derived = Box<Future<Int>?>(nil)
    let cancellations = Box(0)
    /// The result of `future.cancel(token)`.
    let hasDetached = Box<Bool?>(nil)

    var future: Future<Int> { promise.future }

    /// Two callbacks, so that the first is held in the compact form if it can be.
    func register(on context: any ExecutionContext, under token: CancelToken = .none) {
        for _ in 1...2 {
            promise.future.onComplete(context: context, cancelToken: token) { [runs] _ in runs.increment() }
        }
    }

    func derive(on context: any ExecutionContext) {
        let derived = promise.future.map(context: context, cancelToken: token) { $0 }
        derived.onCancel(context: ImmediateContext()) { [cancellations] in cancellations.increment() }
        self.derived.value = derived
    }

    func check() throws {
        guard let derived = derived.value else { return }
        try verify(derived.isCancelled || derived.result?.value == 1, "the derived future ends")
        try verify(!(derived.isCancelled && derived.completed), "it ends in one way")
        try verify(cancellations.value == (derived.isCancelled ? 1 : 0), "onCancel tells so")
        try verify(promise.future.observerCount == 0, "nothing stays registered")
        try verify(token.registrationCount == 0, "nothing stays under the token")
    }
}

private final class Pair: Sendable {
    let target = Promise<Int>()
    let first = Promise<Int>()
    let second = Promise<Int>()
    let runs = Box(0)
}

/// The stream, promise and token that two threads race to end.
final class StreamArena: Sendable {
    let promise = Box<StreamPromise<Int>?>(StreamPromise(capacity: 0))
    let stream: FutureStream<Int>
    let other = FutureStream<Int>(capacity: 0)
    let token = CancelToken()
    let derived = Box<FutureStream<Int>?>(nil)
    let log = Box<Log<Heard<Int>>?>(nil)

    init() { stream = promise.value!.stream }

    func finish(_ stream: FutureStream<Int>, with value: Int) {
        stream.success(value)
        stream.finish()
    }
}

/// The contexts of the subscribers.
enum Audience: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case immediate, concurrentQueue, serialQueue, inline

    var testDescription: String { rawValue }

    var context: any ExecutionContext {
        switch self {
        case .immediate: ImmediateContext()
        case .concurrentQueue: DispatchQueue(label: "audience", attributes: .concurrent)
        case .serialQueue: DispatchQueue(label: "audience")
        case .inline: InlineContext()
        }
    }
}

/// Records the elements that it gets, and whether two of its calls overlapped.
private final class Listener: Sendable {
    let isGuest: Bool
    let heard = Log<Int>()
    let hasOverlapped = Box(false)
    let done = Signal()
    private let isInside = Box(false)

    init(isGuest: Bool) { self.isGuest = isGuest }

    func hear(_ value: Int) {
        let wasInside = isInside.change { isInside in
            defer { isInside = true }
            return isInside
        }
        if wasInside { hasOverlapped.value = true }
        heard.add(value)
        isInside.value = false
    }
}
