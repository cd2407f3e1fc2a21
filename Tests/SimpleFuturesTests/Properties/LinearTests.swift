import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promise 10: linear cost", .watchdog, .serialized)
struct LinearTests {
    @Test(arguments: Work.allCases)
    func `four times the work takes about four times as long`(_ work: Work) {
        work.expectLinearCost(underStress: 5)
    }
}

/// An operation that is repeated n times.
enum Work: String, CaseIterable, LinearWork, CustomTestStringConvertible {
    case registration = "callbacks on one future, then its completion"
    case manyTokensOneFuture = "tokens on one future, cancelled one by one"
    case oneTokenManyFutures = "futures under one token, cancelled future by future"
    case tokenCancel = "registrations under one token, cancelled together"
    case cancelInReverse = "tokens on one future, cancelled last first"
    case handlers = "handlers of one token, cancelled one by one"
    case waiting = "observers removed from the middle"
    case gathering = "inputs of a sequence"
    case folding = "inputs of a fold, the last completed first"
    case racing = "inputs of a race that none of them wins"
    case racesOfOne = "races with one input that leaves its source, decided one by one"
    case children = "children of one token, cancelled together"
    case childrenInReverse = "children of one token, dropped last first"
    case descendants = "generations of tokens, cancelled from the top"
    case manualTimers = "timers of a manual context, cancelled one by one"
    case elements = "elements to one subscriber"
    case subscribers = "subscribers to one element"
    case replay = "elements of a history"
    case lagging = "elements that a queue lags behind"
    case streamTokens = "tokens on one stream, cancelled last first"
    case subscriptions = "subscriptions under one token, cancelled together"
    case sources = "streams merged into one"
    case watchers = "callbacks for the end of as many streams merged into one, under one token"
    case inner = "inner streams of a flatMap"
    case zipped = "elements that wait for their partners"
    case contexts = "subscribers, each on a context of its own"
    case latecomers = "elements for two latecomers, past as many who have caught up"
    case joining = "streams completed with one that waits for as many futures"

    var testDescription: String { rawValue }

    var size: Int {
        switch self {
        case .contexts: 300
        case .latecomers: 600
        case .manualTimers, .racesOfOne, .joining: 1_000
        case .elements, .subscribers, .replay, .lagging, .streamTokens, .subscriptions, .sources, .watchers, .inner,
            .zipped:
            2_000
        default: 4_000
        }
    }

    func run(_ count: Int) {
        let here = ImmediateContext()
        let promise = Promise<Int>()
        let future = promise.future
        let token = CancelToken()
        let manual = ManualContext()
        let stream = FutureStream<Int>(capacity: self == .replay || self == .latecomers ? .max : 0)
        switch self {
        case .registration:
            for _ in 0..<count { future.onSuccess(context: here) { _ in } }
            promise.success(1)
        case .manyTokensOneFuture, .cancelInReverse:
            let tokens = (0..<count).map { _ in CancelToken() }
            for token in tokens { future.onSuccess(context: here, cancelToken: token) { _ in } }
            for token in self == .cancelInReverse ? tokens.reversed() : tokens { future.cancel(token) }
            precondition(future.observerCount == 0)
        case .oneTokenManyFutures:
            let promises = (0..<count).map { _ in Promise<Int>() }
            for promise in promises { promise.future.onSuccess(context: here, cancelToken: token) { _ in } }
            for promise in promises { promise.future.cancel(token) }
            precondition(token.registrationCount == 0)
        case .tokenCancel:
            for _ in 0..<count { future.onSuccess(context: here, cancelToken: token) { _ in } }
            token.cancel()
        case .handlers:
            let registrations = (0..<count).map { _ in token.onCancel {} }
            for registration in registrations.reversed() { registration.cancel() }
        case .waiting:
            let wakers = (0..<count).map { _ in Waker() }
            for waker in wakers {
                waker.set { _ in }
                _ = future.add(waker)
            }
            for index in stride(from: 1, to: count, by: 2) { future.remove(wakers[index]) }
            for index in stride(from: 0, to: count, by: 2) { future.remove(wakers[index]) }
        case .gathering:
            let promises = (0..<count).map { _ in Promise<Int>() }
            let all = promises.map(\.future).sequence()
            for promise in promises { promise.success(1) }
            precondition(all.completed)
        case .folding:
            let promises = (0..<count).map { _ in Promise<Int>() }
            let sum = promises.map(\.future).fold(context: here, initial: 0) { $0 + $1 }
            for promise in promises.reversed() { promise.success(1) }
            precondition(sum.result?.value == count)
        case .racing:
            let promises = (0..<count).map { _ in Promise<Int>() }
            let first = promises.map(\.future).firstSucceeded()
            for promise in promises { promise.failure(Failure()) }
            precondition(first.completed)
        case .racesOfOne:
            let input = future.timeout(.seconds(1), context: manual)
            let others = (0..<count).map { _ in Promise<Int>() }
            let races = others.map { [input, $0.future].firstCompleted() }
            for other in others { other.success(1) }
            precondition(races.allSatisfy(\.completed) && input.observerCount == 0)
        case .children:
            let children = (0..<count).map { _ in token.child() }
            token.cancel()
            precondition(children.allSatisfy(\.isCancelled))
        case .childrenInReverse:
            var children = (0..<count).map { _ in token.child() }
            while !children.isEmpty { children.removeLast() }
            precondition(token.registrationCount == 0)
        case .descendants:
            var last = token
            for _ in 0..<count { last = last.child() }
            token.cancel()
            precondition(last.isCancelled)
        case .manualTimers:
            let registrations = (0..<count).map { manual.execute(after: .seconds($0)) {} }
            for registration in registrations.reversed() { registration.cancel() }
        case .elements:
            stream.onSuccess(context: here) { _ in }
            for value in 0..<count { stream.success(value) }
        case .subscribers:
            for _ in 0..<count { stream.onSuccess(context: here) { _ in } }
            stream.success(1)
            stream.finish()
        case .replay:
            for value in 0..<count { stream.success(value) }
            stream.onSuccess(context: here) { _ in }
            stream.onFailure(context: manual) { _ in }
            manual.run()
        case .lagging:
            for _ in 0..<2 { stream.onSuccess(context: manual) { _ in } }
            for value in 0..<count { stream.success(value) }
            manual.run()
        case .streamTokens:
            let tokens = (0..<count).map { _ in CancelToken() }
            for token in tokens { stream.onSuccess(context: here, cancelToken: token) { _ in } }
            for token in tokens.reversed() { stream.cancel(token) }
            precondition(stream.core.subscriberCount == 0)
        case .subscriptions:
            for _ in 0..<count { stream.onSuccess(context: here, cancelToken: token) { _ in } }
            token.cancel()
            precondition(stream.core.subscriberCount == 0)
        case .sources:
            let sources = (0..<count).map { _ in FutureStream<Int>(capacity: 0) }
            let merged = stream.merge(sources)
            stream.finish()
            for source in sources { source.finish() }
            precondition(merged.isFinished)
        case .watchers:
            let (token, streams) = (CancelToken(), (0..<count).map { _ in FutureStream<Int>(capacity: 0) })
            var merged: FutureStream<Int>? = streams[0].merge(streams.dropFirst())
            merged?.onSuccess(context: immediate, cancelToken: token) { _ in }
            for _ in 0..<count { merged?.onFinish(context: immediate, cancelToken: token) {} }
            merged = nil
            token.cancel()
            for stream in streams { stream.finish() }
        case .inner:
            let inner = (0..<count).map { _ in FutureStream<Int>(capacity: 0) }
            let derived = stream.flatMap(context: here, cancelToken: token) { inner[$0] }
            for value in 0..<count { stream.success(value) }
            for stream in inner.reversed() { stream.finish() }
            stream.finish()
            precondition(derived.isFinished)
        case .zipped:
            let other = FutureStream<Int>(capacity: 0)
            stream.zip(other).onSuccess(context: here) { _ in }
            for value in 0..<count { stream.success(value) }
            for value in 0..<count { other.success(value) }
        case .contexts:
            let contexts = (0..<count).map { _ in ManualContext() }
            for context in contexts { stream.onSuccess(context: context) { _ in } }
            stream.success(1)
            stream.finish()
            for context in contexts { context.run() }
        case .latecomers:
            for _ in 0..<count { stream.onFailure(context: here) { _ in } }
            for value in 0..<2 { stream.success(value) }
            for _ in 0..<count {
                let guests = CancelToken()
                // Inside a callback, so that all elements and subscribers are there when the first subscriber is
                // called.
                FutureStream(value: 1).onSuccess(context: here) { _ in
                    for _ in 0..<2 { stream.onSuccess(context: here, cancelToken: guests) { _ in } }
                }
                guests.cancel()
            }
        case .joining:
            for _ in 0..<count { stream.completeWith(future: future) }
            for _ in 0..<count {
                let target = FutureStream<Int>(capacity: 0)
                target.onSuccess(context: here) { _ in }
                target.completeWith(stream: stream)
            }
            // Otherwise the end of each future would reach each stream.
            stream.finish()
        }
    }
}
