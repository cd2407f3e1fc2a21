import SimpleFutures
import Testing
@testable import TestSupport

// As for futures: each kind of traffic has a process of its own, so that nobody else's memory is counted.

@Suite("Streams: what is short-lived on a long-lived one leaves memory flat", .watchdog, .serialized)
struct StreamsFlatMemoryTests {
    @Test(arguments: StreamTraffic.allCases)
    func `many that come and go leave nothing behind`(_ traffic: StreamTraffic) async {
        await #expect(processExitsWith: .success) { [traffic] in
            let complaint = StreamRoad().drive(traffic, warmUp: Stress.size(1_000, full: 100_000))
            precondition(complaint == nil, "\(traffic): \(complaint!)")
        }
    }
}

/// What comes and goes.
enum StreamTraffic: String, CaseIterable, Codable, Sendable, CustomTestStringConvertible {
    case element = "elements"
    case callback = "callbacks that are detached"
    case stream = "streams that finish, with a callback under a token"
    case derived = "derived streams that are finished by hand"
    case cancelledDerived = "derived streams that are cancelled"
    case taken = "streams of one element"
    case inner = "inner streams of a flatMap"
    case innerFuture = "inner futures of a flatMap"
    case future = "futures that take one element"
    case merged = "streams that a stream completes with"

    var testDescription: String { rawValue }
}

/// Where the traffic is: on one stream that goes on, under one token.
private struct StreamRoad {
    private let token = CancelToken()
    private let stream = FutureStream<Int>(capacity: 2)
    private let target = FutureStream<Int>(capacity: 2)

    func drive(_ traffic: StreamTraffic, warmUp: Int) -> String? {
        let outer = FutureStream<Int>(capacity: 0)
        let flattened =
            traffic == .innerFuture
            ? outer.flatMap(context: immediate, cancelToken: token) { Future(value: $0) }
            : outer.flatMap(context: immediate, cancelToken: token) { futureStream($0) }
        for _ in 0..<warmUp { pass(traffic, outer) }
        let subscribers = stream.core.subscriberCount
        let registrations = token.registrationCount
        let before = Memory.resident
        for _ in 0..<(9 * warmUp) { pass(traffic, outer) }
        if stream.core.subscriberCount > subscribers { return "\(stream.core.subscriberCount) have subscribed" }
        if token.registrationCount > registrations { return "the token holds \(token.registrationCount)" }
        withExtendedLifetime(flattened) {}
        return Memory.complaint(since: before, about: traffic.rawValue)
    }

    private func pass(_ traffic: StreamTraffic, _ outer: FutureStream<Int>) {
        let here = ImmediateContext()
        switch traffic {
        case .element: stream.success(1)
        case .callback:
            let child = token.child()
            stream.onSuccess(context: here, cancelToken: child) { _ in }
            stream.success(1)
            child.cancel()
        case .stream:
            let short = FutureStream<Int>()
            short.onSuccess(context: here, cancelToken: token) { _ in }
            short.onFinish(context: here, cancelToken: token) {}
            short.success(1)
        case .derived: stream.map(context: here, cancelToken: token) { $0 }.finish()
        case .cancelledDerived:
            let child = token.child()
            _ = stream.map(context: here, cancelToken: child) { $0 }
            child.cancel()
        case .taken:
            _ = stream.take(3, cancelToken: token)
            for value in 0..<3 { stream.success(value) }
        case .inner, .innerFuture: outer.success(1)
        case .future:
            let future = Future<Int>()
            future.completeWith(stream: stream)
            stream.success(1)
        case .merged:
            let short = FutureStream<Int>()
            target.completeWith(stream: short)
            short.success(1)
        }
    }
}
