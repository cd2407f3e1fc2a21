import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("FutureStream: reduce, and methods with a handler for the end", .watchdog)
struct StreamReduceTests {
    private let stream = FutureStream<Int>(capacity: 0)

    private func reduced(under token: CancelToken = .none) -> Future<Int> {
        stream.reduce(10, context: immediate, cancelToken: token) { sum, value in
            guard value >= 0 else { throw Oops.source }
            return sum + value
        }
    }

    @Test func `it combines all values when the stream finishes`() {
        let sum = reduced()
        for value in 1...3 { stream.success(value) }
        #expect(!sum.completed)
        stream.finish()
        #expect(sum.result?.value == 16)
    }

    @Test func `without values it is the initial result`() {
        let sum = reduced()
        stream.finish()
        #expect(sum.result?.value == 10)
    }

    @Test(arguments: [true, false])
    func `the first failure or thrown error fails it, and releases the stream`(_ isThrown: Bool) {
        let sum = reduced()
        stream.success(1)
        if isThrown { stream.success(-1) } else { stream.failure(Oops.source) }
        #expect(sum.result?.error as? Oops == .source)
        #expect(stream.core.subscriberCount == 0)
    }

    @Test(arguments: [true, false])
    func `unsubscribed it is canceled`(_ isOnStream: Bool) {
        let token = CancelToken()
        let sum = reduced(under: token)
        stream.success(1)
        if isOnStream { #expect(stream.cancel(token)) } else { token.cancel() }
        #expect(sum.isCancelled)
        #expect(stream.core.subscriberCount == 0)
    }

    @Test(arguments: [true, false])
    func `a call of the end handler finishes the stream, after the error if there is one`(_ fails: Bool) {
        func read(_ chunk: @escaping @Sendable (Int) -> Void, _ end: @escaping @Sendable ((any Error)?) -> Void) {
            chunk(1)
            chunk(2)
            end(fails ? Oops.source : nil)
        }
        let blocks = Box<(@Sendable (Int) -> Void)?>(nil)
        let chunks = futureStream(method: { (chunk: @escaping @Sendable (Int) -> Void, end) in
            // Keeping the value handler alive does not keep the stream open.
            blocks.value = chunk
            read(chunk, end)
        })
        #expect(chunks.isFinished)
        #expect(chunks.futures.compactMap { $0.result?.value } == [1, 2])
        #expect((chunks.futures.last?.result?.error as? Oops == .source) == fails)
    }

    @Test func `a queue has one mailbox, also after other queues were used`() {
        let tokens = (0..<9).map { _ in CancelToken() }
        let stream = FutureStream<Int>(capacity: 0)
        for token in tokens {
            stream.onSuccess(context: DispatchQueue(label: "other"), cancelToken: token) { _ in }
        }
        for token in tokens.dropLast(6) { token.cancel() }
        let queue = DispatchQueue(label: "shared")
        let log = Log<String>()
        queue.suspend()
        for name in ["a", "b"] { stream.onSuccess(context: queue) { log.add("\(name)\($0)") } }
        for value in 1...2 { stream.success(value) }
        queue.resume()
        queue.sync {}
        #expect(log.all == ["a1", "b1", "a2", "b2"])
    }
}
