import Dispatch
import Foundation
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promises 1 and 4: each callback once, each element once and in order", .watchdog)
struct ExactlyOnceTests {
    @Test(arguments: Place.allCases)
    func `two racing completers run each callback once`(_ place: Place) {
        let spot = place.make()
        let winners = Box<[Bool]>([])
        race(rounds: Stress.rounds(2_000)) {
            winners.value = []
            return Arena { $0.register(on: spot.context) }
        } _: { arena in
            if arena.promise.trySuccess(1) { winners.append(true) }
        } _: { arena in
            if arena.promise.tryFailure(Failure()) { winners.append(false) }
        } check: { arena in
            spot.settle()
            try verify(arena.runs.value == 2, "each callback runs once, not \(arena.runs.value) in all")
            let isRight = arena.future.result.map { winners.value == [$0.isSuccess()] }
            try verify(isRight == true, "one completer wins, and the result is its own")
        }
    }

    @Test(arguments: Place.allCases, pairs(of: Step.allCases))
    func `in every race of two threads each callback runs once, or never if canceled`(_ place: Place, _ steps: [Step]) {
        let spot = place.make()
        race(rounds: Stress.rounds(200)) {
            Arena { arena in
                arena.register(on: spot.context, under: arena.token)
                arena.derive(on: spot.context)
            }
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
            let all = 2 + 2 * steps.count { $0 == .register }
            let runs = arena.runs.value
            guard steps.contains(.cancelToken) || steps.contains(.cancelOnFuture) else {
                return try verify(runs == all, "each callback runs once, not \(runs) in all")
            }
            try verify(runs <= all, "no callback runs twice")
            if !wasCompleted, !steps.contains(.register) { try verify(runs == 0, "what is cancelled does not run") }
            if arena.hasDetached.value == false, !steps.contains(.cancelToken) {
                try verify(runs >= 2, "cancel(token) says false, and \(runs) have run")
            }
        }
    }

    @Test(arguments: Place.allCases)
    func `cancel(token) returns true if and only if the callback never runs`(_ place: Place) {
        let spot = place.make()
        race(
            { Arena { $0.register(1, on: spot.context, under: $0.token) } },
            { $0.hasDetached.value = $0.future.cancel($0.token) },
            { $0.promise.success(1) }
        ) { arena in
            spot.settle()
            try verify(arena.runs.value == (arena.hasDetached.value == true ? 0 : 1), "\(arena.runs.value) have run")
        }
    }

    @Test(arguments: [true, false])
    func `of two sources or elements that race to complete a future one wins, and both let go`(areElements: Bool) {
        race {
            let (target, stream, runs) = (Future<Int>(), FutureStream<Int>(capacity: 0), Box(0))
            let sources = [Promise<Int>(), Promise<Int>()]
            if areElements {
                target.completeWith(stream: stream)
            } else {
                for source in sources { target.completeWith(future: source.future) }
            }
            target.onSuccess(context: immediate) { _ in runs.increment() }
            return (target: target, sources: sources, stream: stream, runs: runs)
        } _: { arena in
            if areElements { arena.stream.success(1) } else { arena.sources[0].success(1) }
        } _: { arena in
            if areElements { arena.stream.success(2) } else { arena.sources[1].success(2) }
        } check: { arena in
            try verify(arena.runs.value == 1, "the callback runs once")
            try verify(arena.target.result?.value != nil, "one wins")
            try verify(arena.sources.allSatisfy { $0.future.observerCount == 0 }, "the sources let go")
            try verify(arena.stream.core.subscriberCount == 0, "no subscriber is left")
        }
    }

    // MARK: Streams

    @Test(arguments: Audience.allCases)
    func `with eight emitting threads and changing subscribers, no element is lost, duplicated or out of order`(
        _ audience: Audience
    ) async {
        let (emitters, each) = (8, Stress.rounds(150))
        let (stream, context) = (FutureStream<Int>(), audience.context)
        let listeners = Box<[Listener]>([])
        await onThread {
            DispatchQueue.concurrentPerform(iterations: emitters + 2) { thread in
                guard thread < emitters else {
                    // One thread subscribes permanently, the other subscribes and unsubscribes.
                    for round in 0..<20 {
                        let isGuest = thread > emitters
                        let token = isGuest ? CancelToken() : .none
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
        let count = Stress.rounds(1_000)
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
        await until { listeners.value.allSatisfy { $0.heard.last == count } }
        for listener in listeners.value {
            let heard = listener.heard.all
            #expect(!listener.hasOverlapped.value)
            #expect(heard.last == count)
            #expect(heard == Array((heard.first ?? 0)...count))
        }
    }

    @Test(arguments: [RepeatingContext(), DoublingContext(), ReversingContext()] as [any ExecutionContext])
    func `on a context that runs tasks twice or in reverse callbacks run once, and elements come in order`(
        _ context: any ExecutionContext
    ) {
        let (stream, called) = (FutureStream<Int>(), Log<Int>())
        let log = stream.map(context: context) { $0 }.heard(on: context)
        for value in 0..<200 {
            stream.success(value)
            for token in [.none, CancelToken()] {
                Future(value: value).onSuccess(context: context, cancelToken: token) { called.add($0) }
            }
        }
        (context as? ReversingContext)?.run()
        stream.finish()
        (context as? ReversingContext)?.run()
        #expect(log.all == (0..<200).map { .value($0) } + [.finish])
        #expect(called.all.sorted() == (0..<400).map { $0 / 2 })
    }
}

/// A step that one of two threads takes with a future.
enum Step: CaseIterable, Sendable {
    case complete, register, cancelToken, cancelOnFuture

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

    init(_ prepare: (Arena) -> Void) { prepare(self) }

    var future: Future<Int> { promise.future }

    /// Two callbacks, so that the first is held in the compact form if it can be.
    func register(_ count: Int = 2, on context: any ExecutionContext, under token: CancelToken = .none) {
        for _ in 0..<count {
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

/// The contexts of the subscribers.
enum Audience: CaseIterable, Sendable {
    case immediate, concurrentQueue, serialQueue, inline

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
