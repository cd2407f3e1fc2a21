import NIOCore
import NIOEmbedded
import OpenCombine
import SimpleFutures
import Testing

@Suite("The effects of a callback come after earlier callbacks and elements", .timeLimit(.minutes(5)))
struct OrderTests {
    @Test func `NIO runs a callback registered by a callback before callbacks registered earlier`() {
        let promise = EmbeddedEventLoop().makePromise(of: Int.self)
        let future = promise.futureResult
        let heard = Log<String>()
        future.whenSuccess { _ in
            heard.add("first")
            future.whenSuccess { _ in heard.add("third") }
        }
        future.whenSuccess { _ in heard.add("second") }
        promise.succeed(1)
        #expect(heard.all == ["first", "third", "second"])
    }

    @Test func `Combine delivers an element to one of two callbacks before an earlier element`() {
        let subject = PassthroughSubject<Int, Never>()
        let logs = [Log<Int>(), Log<Int>()]
        let sinks = logs.map { log in
            subject.sink { element in
                log.add(element)
                if element == 1, logs.allSatisfy({ $0.all.count < 2 }) { subject.send(2) }
            }
        }
        subject.send(1)
        #expect(Set(logs.map(\.all)) == [[1, 2], [2, 1]])
        for sink in sinks { sink.cancel() }
    }

    @Test func `SimpleFutures runs a callback registered by a callback after callbacks registered earlier`() {
        let promise = Promise<Int>()
        let heard = Log<String>()
        promise.future.onSuccess(context: ImmediateContext()) { [future = promise.future] _ in
            heard.add("first")
            future.onSuccess(context: ImmediateContext()) { _ in heard.add("third") }
        }
        promise.future.onSuccess(context: ImmediateContext()) { _ in heard.add("second") }
        promise.success(1)
        #expect(heard.all == ["first", "second", "third"])
    }

    @Test func `SimpleFutures delivers elements to every callback in the order of emission`() {
        let promise = StreamPromise<Int>(capacity: 0)
        let logs = [Log<Int>(), Log<Int>()]
        for log in logs {
            promise.stream.onSuccess(context: ImmediateContext()) { [weak promise] element in
                log.add(element)
                if element == 1, logs[1].all.isEmpty { promise?.success(2) }
            }
        }
        promise.success(1)
        #expect(logs.map(\.all) == [[1, 2], [1, 2]])
    }
}
