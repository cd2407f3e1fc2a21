import NIOCore
import NIOEmbedded
import OpenCombine
import SimpleFutures
import Testing

@Suite("A chain of a million links on a stack of 512 KiB", .timeLimit(.minutes(5)))
struct LongChainTests {
    @Test func `NIO completes and releases it`() async {
        await #expect(processExitsWith: .success) {
            onSmallStack {
                let promise = EmbeddedEventLoop().makePromise(of: Int.self)
                var end = promise.futureResult
                for _ in 0..<1_000_000 { end = end.map { $0 + 1 } }
                let heard = Log<Int>()
                end.whenSuccess { heard.add($0) }
                promise.succeed(0)
                precondition(heard.all == [1_000_000])
            }
        }
    }

    @Test func `Combine overflows the stack with ten thousand links`() async {
        await #expect(processExitsWith: .success) { onSmallStack { Self.completeCombine(links: 10) } }
        await #expect(processExitsWith: .failure) { onSmallStack { Self.completeCombine(links: 10_000) } }
    }

    private static func completeCombine(links: Int) {
        let subject = PassthroughSubject<Int, Never>()
        // Type-erased, as a chain of dynamic length has to be.
        var end = subject.eraseToAnyPublisher()
        for _ in 0..<links { end = end.map { $0 + 1 }.eraseToAnyPublisher() }
        let heard = Log<Int>()
        let sink = end.sink { heard.add($0) }
        subject.send(0)
        precondition(heard.all == [links])
        sink.cancel()
    }

    @Test func `SimpleFutures completes and releases it`() async {
        await #expect(processExitsWith: .success) {
            onSmallStack {
                let promise = Promise<Int>()
                var end = promise.future
                for _ in 0..<1_000_000 { end = end.map(context: ImmediateContext()) { $0 + 1 } }
                promise.success(0)
                precondition(end.result?.value == 1_000_000)
            }
        }
    }

    @Test func `SimpleFutures releases it without a completion`() async {
        await #expect(processExitsWith: .success) {
            onSmallStack {
                let end: SimpleFutures.Future<Int>
                do {
                    let promise = Promise<Int>()
                    var last = promise.future
                    for _ in 0..<1_000_000 { last = last.map(context: ImmediateContext()) { $0 + 1 } }
                    end = last
                }
                precondition(end.result?.error is FuturesError)
            }
        }
    }
}
