import Foundation
import SimpleFutures
import Testing
@testable import TestSupport

// The registrations have a process of their own, so that only their memory is counted. With SIMPLEFUTURES_STRESS there are a
// million registrations of each kind.

@Suite("Short-lived registrations on a long-lived token, future or stream leave memory flat", .watchdog)
struct FlatMemoryTests {
    @Test func `many short-lived registrations do not leave memory behind`() async {
        await #expect(processExitsWith: .success) {
            let complaints = Traffic.allCases.compactMap { traffic in
                Road(traffic).drive(traffic, warmUp: Stress.size(500, full: 100_000)).map { "\(traffic): \($0)" }
            }
            precondition(complaints.isEmpty, "\(complaints)")
        }
    }
}

/// A kind of short-lived registration.
enum Traffic: String, CaseIterable, CustomStringConvertible {
    case child = "children"
    case cancelledChild = "children that are cancelled"
    case handledChild = "children with a handler that is taken away"
    case workOfChild = "children whose work ends"
    case line = "grandchildren, dropped from above"
    case any = "tokens that any of two cancel"
    case cancelledAny = "tokens that the other of two has cancelled"
    case handler = "handlers that are taken away"
    case registration = "callbacks of futures that are completed"
    case detachedRegistration = "callbacks that are detached on their future"
    case brokenRegistration = "callbacks of futures that are broken"
    case deadline = "deadlines that are dropped"
    case anyDeadline = "deadlines that are cancelled by another token"
    case passedDeadline = "deadlines that pass"
    case dispatchDeadline = "deadlines that are dropped, on a queue"
    case timeout = "timeouts of futures that are completed"
    case passedTimeout = "timeouts that pass"
    case delay = "delays"
    case retry = "retries"
    case cancelledRetry = "retries that are cancelled with a child"
    case race = "races of one that is completed and one that is not"
    case raceBesideOthers = "races of one that is completed and one that others wait for"
    case failingSequence = "sequences of one that fails and one that others wait for"
    case element = "elements"
    case streamCallback = "callbacks that are detached"
    case shortStream = "streams that finish, with a callback under a token"
    case derivedStream = "derived streams that are finished by hand"
    case cancelledStream = "derived streams that are cancelled"
    case taken = "streams of one element"
    case innerStream = "inner streams of a flatMap"
    case innerFuture = "inner futures of a flatMap"
    case latestStream = "inner streams of a flatMapLatest"
    case replacedStream = "inner streams of a flatMapLatest that the next one replaces"
    case firstElement = "futures that take one element"
    case merged = "streams that a stream completes with"
    case givenUp = "waits for tasks that do not come"
    case list = "lists of futures, each in the value of the one before"

    var description: String { rawValue }
}

private struct Page: Sendable { let next: Future<Page>? }

/// The objects for the traffic: one token, one clock and one future that is never completed.
private struct Road {
    let token = CancelToken()
    let manual = ManualContext()
    let idle = Future<Int>()
    /// Never completed either; other futures depend on it.
    let awaited = Future<Int>()
    /// Streams that do not end.
    let stream = FutureStream<Int>(capacity: 2)
    let target = FutureStream<Int>(capacity: 2)
    let outer = FutureStream<Int>(capacity: 0)
    let flattened: FutureStream<Int>

    init(_ traffic: Traffic) {
        flattened =
            switch traffic {
            case .innerFuture: outer.flatMap(context: immediate, cancelToken: token) { Future(value: $0) }
            case .latestStream: outer.flatMapLatest(context: immediate, cancelToken: token) { futureStream($0) }
            case .replacedStream: outer.flatMapLatest(context: immediate, cancelToken: token) { [target] _ in target }
            default: outer.flatMap(context: immediate, cancelToken: token) { futureStream($0) }
            }
        for _ in 0..<20 { awaited.onSuccess(context: ImmediateContext()) { _ in } }
    }

    /// Makes ten times as many registrations as in the warm-up, and returns a complaint about the memory, or nil.
    func drive(_ traffic: Traffic, warmUp: Int) -> String? {
        // Dispatch is slow to release timers.
        let warmUp = traffic == .dispatchDeadline ? warmUp / 10 : warmUp
        let (subscribers, registrations) = (stream.core.subscriberCount, token.registrationCount)
        for _ in 0..<warmUp { pass(traffic) }
        let before = Memory.resident
        for _ in 0..<(9 * warmUp) { pass(traffic) }
        if stream.core.subscriberCount > subscribers { return "\(stream.core.subscriberCount) have subscribed" }
        if token.registrationCount > registrations { return "the token holds \(token.registrationCount)" }
        if manual.pendingCount > 0 { return "\(manual.pendingCount) timers and tasks are left" }
        if idle.observerCount > 0 { return "the future holds \(idle.observerCount)" }
        if awaited.observerCount > 20 { return "the awaited future holds \(awaited.observerCount)" }
        let limit = traffic == .dispatchDeadline ? 512 : 128
        var complaint = Memory.complaint(since: before, about: traffic.rawValue, limit: limit)
        for _ in 0..<600 where complaint != nil && traffic == .dispatchDeadline {
            Thread.sleep(forTimeInterval: 0.1)
            complaint = Memory.complaint(since: before, about: traffic.rawValue, limit: limit)
        }
        return complaint
    }

    /// An attempt that fails.
    ///
    /// It returns a failed future instead of throwing, because Swift Testing keeps a backtrace of each thrown error.
    private static func attempt() -> Future<Int> { Future(error: Failure()) }

    private func pass(_ traffic: Traffic) {
        let here = ImmediateContext()
        let second = Duration.seconds(1)
        switch traffic {
        case .child: _ = token.child()
        case .cancelledChild: token.child().cancel()
        case .handledChild: token.child().onCancel {}.cancel()
        case .workOfChild:
            let promise = Promise<Int>()
            promise.future.onSuccess(context: here, cancelToken: token.child()) { _ in }
            promise.success(1)
        case .line:
            let registration = token.child().child().child().onCancel {}
            registration.cancel()
        case .any: _ = CancelToken(anyOf: token, CancelToken())
        case .cancelledAny:
            let other = CancelToken()
            let any = CancelToken(anyOf: token, other, token)
            any.onCancel {}
            other.cancel()
        case .handler: token.onCancel {}.cancel()
        case .registration:
            let promise = Promise<Int>()
            promise.future.onSuccess(context: here, cancelToken: token) { _ in }
            promise.success(1)
        case .detachedRegistration:
            let future = Future<Int>()
            _ = future.map(context: here, cancelToken: token) { $0 }
            future.cancel(token)
        case .brokenRegistration: _ = Future<Int>().map(context: here, cancelToken: token) { $0 }
        case .deadline: _ = CancelToken(after: second, context: manual)
        case .anyDeadline:
            let deadline = CancelToken(anyOf: CancelToken(after: second, context: manual), token).child()
            let any = CancelToken(anyOf: deadline, token)
            any.cancel()
        case .passedDeadline:
            CancelToken(anyOf: token, CancelToken(after: second, context: manual)).onCancel {}
            manual.advance(by: second)
        case .dispatchDeadline:
            _ = CancelToken(anyOf: token, CancelToken(after: .seconds(3600), context: QueueContext.global))
        case .timeout:
            let promise = Promise<Int>()
            _ = promise.future.timeout(second, context: manual, cancelToken: token)
            promise.success(1)
        case .passedTimeout:
            _ = idle.timeout(second, context: manual, cancelToken: token)
            manual.advance(by: second)
        case .delay:
            _ = Future(value: 1).delay(second, context: manual, cancelToken: token)
            manual.advance(by: second)
        case .retry:
            _ = Future<Int>.retry(2, delay: second, context: manual, cancelToken: token) { Self.attempt() }
            manual.run()
            manual.advance(by: second)
        case .cancelledRetry:
            let child = token.child()
            _ = Future<Int>.retry(2, delay: second, context: manual, cancelToken: child) { Self.attempt() }
            manual.run()
            child.cancel()
        case .race:
            let derived = Future(value: 1).map(context: here, cancelToken: token) { $0 }
            _ = [idle, derived].firstCompleted()
            _ = [idle, derived].firstSucceeded()
            _ = [idle, derived].find(context: here) { _ in true }
            _ = [idle, Future(error: Failure())].fold(context: here, initial: 0) { $0 + $1 }
        case .raceBesideOthers:
            let winner = Future<Int>()
            _ = [awaited, winner].firstCompleted()
            _ = [awaited, winner].firstSucceeded()
            _ = [awaited, winner].find(context: here) { _ in true }
            winner.success(1)
        case .failingSequence:
            let loser = Future<Int>()
            _ = [awaited, idle, loser].sequence()
            _ = zip(awaited, idle, loser)
            loser.failure(Failure())
        case .element: stream.success(1)
        case .streamCallback:
            let child = token.child()
            stream.onSuccess(context: here, cancelToken: child) { _ in }
            stream.success(1)
            child.cancel()
        case .shortStream:
            let short = FutureStream<Int>()
            short.onSuccess(context: here, cancelToken: token) { _ in }
            short.onFinish(context: here, cancelToken: token) {}
            short.success(1)
        case .derivedStream: stream.map(context: here, cancelToken: token) { $0 }.finish()
        case .cancelledStream:
            let child = token.child()
            _ = stream.map(context: here, cancelToken: child) { $0 }
            child.cancel()
        case .taken:
            _ = stream.take(3, cancelToken: token)
            for value in 0..<3 { stream.success(value) }
        case .innerStream, .innerFuture, .latestStream, .replacedStream: outer.success(1)
        case .firstElement:
            let future = Future<Int>()
            future.completeWith(stream: stream)
            stream.success(1)
        case .merged:
            let short = FutureStream<Int>()
            target.completeWith(stream: short)
            short.success(1)
        case .givenUp: _ = manual.pending()
        case .list:
            // The deeper ones are destroyed later than the first.
            var first: Future<Page>?
            for _ in 0..<60 { first = Future(value: Page(next: first)) }
        }
    }
}
