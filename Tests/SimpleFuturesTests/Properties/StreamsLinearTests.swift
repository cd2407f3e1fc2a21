import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promise 10, streams: linear cost", .watchdog, .serialized)
struct StreamsLinearTests {
    @Test(arguments: StreamWork.allCases)
    func `four times as much takes about four times as long`(_ work: StreamWork) {
        work.expectLinearCost(underStress: 4)
    }
}

/// What is done n times.
enum StreamWork: String, CaseIterable, LinearWork, CustomTestStringConvertible {
    case elements = "elements to one subscriber"
    case subscribers = "subscribers to one element"
    case replay = "elements of a history"
    case lagging = "elements that a queue lags behind"
    case tokens = "tokens on one stream, cancelled last first"
    case registrations = "registrations under one token, cancelled together"
    case sources = "streams merged into one"
    case inner = "inner streams of a flatMap"
    case zipped = "elements that wait for their partners"
    case contexts = "subscribers, each on a context of its own"
    case latecomers = "elements for two latecomers, past as many who have caught up"

    var testDescription: String { rawValue }

    var size: Int {
        switch self {
        case .contexts: 300
        case .latecomers: 600
        default: 2_000
        }
    }

    func run(_ count: Int) {
        let here = ImmediateContext()
        let manual = ManualContext()
        let token = CancelToken()
        let stream = FutureStream<Int>(capacity: self == .replay || self == .latecomers ? .max : 0)
        switch self {
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
        case .tokens:
            let tokens = (0..<count).map { _ in CancelToken() }
            for token in tokens { stream.onSuccess(context: here, cancelToken: token) { _ in } }
            for token in tokens.reversed() { stream.cancel(token) }
            precondition(stream.core.subscriberCount == 0)
        case .registrations:
            for _ in 0..<count { stream.onSuccess(context: here, cancelToken: token) { _ in } }
            token.cancel()
            precondition(stream.core.subscriberCount == 0)
        case .sources:
            let sources = (0..<count).map { _ in FutureStream<Int>(capacity: 0) }
            let merged = stream.merge(sources)
            stream.finish()
            for source in sources { source.finish() }
            precondition(merged.isFinished)
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
                // Inside of a callback, so that both have everything before them when the first one's turn comes.
                FutureStream(value: 1).onSuccess(context: here) { _ in
                    for _ in 0..<2 { stream.onSuccess(context: here, cancelToken: guests) { _ in } }
                }
                guests.cancel()
            }
        }
    }
}
