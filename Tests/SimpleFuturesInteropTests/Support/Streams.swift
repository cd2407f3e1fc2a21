import SimpleFutures
import SimpleFuturesInterop
@testable import TestSupport

/// A derived stream with a producer, and an iterator over it.
final class Stage<Iterator: StreamIterator>: @unchecked Sendable {
    // Sendable: the tests use it one after the other.
    private var promise: StreamPromise<Int>? = StreamPromise(capacity: 0)
    let token = CancelToken()
    let stream: FutureStream<Int>
    private(set) var iterator: Iterator?

    init(buffering policy: StreamBufferingPolicy = .unbounded) {
        stream = promise!.stream.map(context: ImmediateContext(), cancelToken: token) { $0 }
        iterator = Iterator.over(stream, policy)
    }

    var subscriberCount: Int { stream.core.subscriberCount }
    var isAwaited: Bool { iterator?.isAwaited ?? false }
    /// Whether all elements have been read and the stream has not ended.
    var isEmpty: Bool { iterator?.isEmpty ?? true }

    func emit(_ values: Int...) { for value in values { promise?.success(value) } }
    func fail() { promise?.failure(Failure()) }
    func finish() { promise?.finish() }
    func dropPromise() { promise = nil }
    func dropIterator() { iterator = nil }

    /// The result of one call of `next()` as text.
    ///
    /// Each uses a copy, because calls may overlap.
    func next() async -> String {
        guard var copy = iterator else { return "dropped" }
        return await copy.word()
    }

    /// The results of all calls up to the end, as text.
    func rest() async -> [String] {
        guard var copy = iterator else { return ["dropped"] }
        return await copy.rest()
    }
}

protocol StreamIterator: SendableMetatype {
    static func over(_ stream: FutureStream<Int>, _ policy: StreamBufferingPolicy) -> Self
    var isAwaited: Bool { get }
    var isEmpty: Bool { get }
    var droppedCount: Int { get }
    /// The result of one call of `next()` as text.
    mutating func word() async -> String
}

extension StreamIterator {
    /// The results of all calls up to the end, as text.
    mutating func rest() async -> [String] {
        var words: [String] = []
        while words.last != "end" { words.append(await word()) }
        return words
    }
}

extension FutureStream<Int> {
    /// The elements of a loop over `results`, and the end, as text.
    func words(buffering policy: StreamBufferingPolicy = .unbounded) async -> [String] {
        var iterator = results(buffering: policy).makeAsyncIterator()
        return await iterator.rest()
    }
}

extension FutureStreamValues<Int>.Iterator: StreamIterator {
    static func over(_ stream: FutureStream<Int>, _ policy: StreamBufferingPolicy) -> Self {
        stream.values(buffering: policy).makeAsyncIterator()
    }

    mutating func word() async -> String {
        do {
            guard let value = try await next() else { return "end" }
            return "\(value)"
        } catch { return describe(error) }
    }
}

extension FutureStreamResults<Int>.Iterator: StreamIterator {
    static func over(_ stream: FutureStream<Int>, _ policy: StreamBufferingPolicy) -> Self {
        stream.results(buffering: policy).makeAsyncIterator()
    }

    mutating func word() async -> String {
        switch await next() {
        case nil: "end"
        case .success(let value): "\(value)"
        case .failure(let error): describe(error)
        }
    }
}

private func describe(_ error: any Error) -> String {
    switch error {
    case is Failure: "failure"
    case is CancellationError: "cancelled"
    case FuturesError.bufferOverflow(let dropped): "lost \(dropped)"
    case FuturesError.noSuchElement: "nothing"
    default: "\(error)"
    }
}

/// An iterator that several calls use against the rules, each with a copy.
final class SharedIterator: @unchecked Sendable {
    // Sendable: the iterator is never mutated.
    private let iterator: FutureStreamResults<Int>.Iterator

    init(_ stream: FutureStream<Int>) { iterator = stream.results.makeAsyncIterator() }

    func next() async -> Try<Int>? {
        var copy = iterator
        return await copy.next()
    }

    func word() async -> String {
        var copy = iterator
        return await copy.word()
    }
}
