import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

/// A large structure of futures or streams that a test builds.
enum Structure: String, CaseIterable, Codable, Sendable, CustomTestStringConvertible {
    case links = "map links"
    case callbacks = "callbacks on one future"
    case recursion = "recursive flatMaps"

    var testDescription: String { rawValue }

    var size: Int { self == .recursion ? 100_000 : 1_000_000 }

    /// Builds the structure on a source, ends the source, and returns a complaint about the structure's end, or nil.
    func grow(_ size: Int, _ ending: Ending, _ place: Place) -> String? {
        let (spot, origin, runs) = (place.make(), Origin(ending), Box(0))
        var end = origin.start(on: spot.context)
        switch self {
        case .links: for _ in 0..<size { end = end.map(context: spot.context) { $0 } }
        case .callbacks:
            for _ in 0..<size { end.onComplete(context: spot.context) { _ in runs.increment() } }
            // Registered last, so that it runs after the other callbacks.
            end = end.map(context: spot.context) { $0 }
        case .recursion: end = descend(size, end, spot.context)
        }
        let isOver = Signal()
        end.onComplete(context: ImmediateContext()) { _ in isOver.open() }
        end.onCancel(context: ImmediateContext()) { isOver.open() }
        origin.end()
        guard isOver.pass() else { return "it has not ended" }
        // The process can exit only when the queue is empty.
        spot.settle()
        let expected = self == .callbacks && ending != .cancelled ? size : 0
        guard runs.value == expected else { return "\(runs.value) of \(expected) have run" }
        return end.ended == ending.outcome ? nil : "it is \(end.debugDescription)"
    }
}

/// The way in which the source of a structure ends.
enum Ending: String, CaseIterable, Sendable {
    case succeeded, failed, cancelled, broken, released

    var outcome: Outcome<Int> {
        switch self {
        case .succeeded: .success(1)
        case .failed: .failure(Failure())
        case .cancelled: .cancelled
        case .broken, .released: .broken
        }
    }
}

private func descend(_ steps: Int, _ start: Future<Int>, _ context: any ExecutionContext) -> Future<Int> {
    guard steps > 0 else { return start }
    return Future(value: steps).flatMap(context: context) { descend($0 - 1, start, context) }
}

/// The source of a structure, and the means to end it.
final class Origin: Sendable {
    private let ending: Ending
    private let token = CancelToken()
    private let promise = Box<Promise<Int>?>(Promise())
    private let bare = Box<Future<Int>?>(Future())

    init(_ ending: Ending) { self.ending = ending }

    /// Derives a future by `map`: the structure holds its source, so the source itself would never be released.
    func start(on context: any ExecutionContext) -> Future<Int> {
        let source = ending == .released ? bare.value! : promise.value!.future
        return source.map(context: context, cancelToken: ending == .cancelled ? token : .none) { $0 }
    }

    func end() {
        switch ending {
        case .succeeded: promise.value?.success(1)
        case .failed: promise.value?.failure(Failure())
        case .cancelled: token.cancel()
        case .broken: promise.value = nil
        case .released: bare.value = nil
        }
    }
}

/// The way in which a chain of streams ends.
enum Conclusion: String, CaseIterable, Sendable {
    case finished, cancelled, released

    /// Emits through a chain of links, ends it, and returns a complaint about the result, or nil.
    func complaint(_ size: Int, _ combinator: StreamCombinator, on context: any ExecutionContext = immediate) -> String?
    {
        let token = CancelToken()
        let promise = Box<StreamPromise<Int>?>(StreamPromise(capacity: 0))
        var last = promise.value!.stream.map(context: immediate, cancelToken: token) { $0 }
        for _ in 0..<size { last = combinator.apply(to: last, on: context) }
        let log = last.heard()
        let isOver = Signal()
        last.onFinish(context: immediate) { isOver.open() }
        last.onCancel(context: immediate) { isOver.open() }
        let isHere = Signal()
        last.onComplete(context: immediate) { _ in isHere.open() }
        promise.value?.success(1)
        guard isHere.pass() else { return "the value has not come" }
        promise.value?.failure(Oops.source)
        guard isHere.pass() else { return "the error has not come" }
        switch self {
        case .finished: promise.value?.finish()
        case .cancelled: token.cancel()
        case .released: promise.value = nil
        }
        guard isOver.pass() else { return "it has not ended" }
        // The last task may not have returned yet.
        (context as? DispatchQueue)?.sync {}
        DispatchQueue.main.sync {}
        let expected: [Heard<Int>] = [1, combinator.passedOn(.source), self == .cancelled ? .cancel : .finish]
        return log.all == expected ? nil : "it has heard \(log.all)"
    }
}

/// The context of a callback that emits.
enum Ground: CaseIterable, Codable, Sendable {
    case immediate, inline, depth, queue, concurrentQueue, manual, main, mainImmediate

    /// Whether a callback can run at once on the thread that emits.
    var isOnThread: Bool { self == .immediate || self == .inline || self == .mainImmediate }

    func context(_ manual: ManualContext) -> any ExecutionContext {
        switch self {
        case .immediate: ImmediateContext()
        case .inline: InlineContext()
        case .depth: MaxStackDepthContext()
        case .queue: DispatchQueue(label: "ground")
        case .concurrentQueue: DispatchQueue(label: "ground", attributes: .concurrent)
        case .manual: manual
        case .main: QueueContext.main
        case .mainImmediate: QueueContext.mainImmediate
        }
    }
}
