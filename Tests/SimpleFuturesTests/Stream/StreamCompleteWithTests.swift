import SimpleFutures
import Testing
@testable import TestSupport

@Suite("FutureStream.completeWith", .watchdog)
struct StreamCompleteWithTests {
    @Test(arguments: Source.Ending.allCases, Source.Moment.allCases)
    func `a future is one more producer until it ends`(_ ending: Source.Ending, _ moment: Source.Moment) {
        let promise = Box<StreamPromise<Int>?>(StreamPromise())
        let stream = promise.value!.stream
        Source.ending(ending, moment) { promise.value?.completeWith(context: DroppingContext(), future: $0) }
        let element: [Heard<Int>] =
            switch ending {
            case .success: [1]
            case .failure: [.failure(Oops.source)]
            case .breach: [.broken]
            case .cancellation: []
            }
        #expect(stream.state == element)
        promise.value?.success(5)
        #expect(stream.state == element + [5])
        promise.value = nil
        #expect(stream.state == element + [5] + (ending == .cancellation ? [.cancel] : [.finish]))
    }

    @Test(arguments: Emitter.Ending.allCases, [true, false])
    func `a stream is one more producer until it ends`(_ ending: Emitter.Ending, _ isEarly: Bool) {
        let promise = Box<StreamPromise<Int>?>(StreamPromise())
        let stream = promise.value!.stream
        let source = Emitter()
        source.emit(1)
        source.fail()
        if isEarly { source.end(ending) }
        promise.value?.completeWith(context: DroppingContext(), stream: source.stream)
        let dependent = FutureStream(context: DroppingContext(), dependent: source.stream)
        if !isEarly { source.end(ending) }
        promise.value?.success(5)
        #expect(stream.state == [1, .failure(Oops.source), 5])
        promise.value = nil
        #expect(stream.state == [1, .failure(Oops.source), 5, ending.passedOn()])
        #expect(dependent.state == [1, .failure(Oops.source), ending.passedOn()])
    }

    @Test func `a Try of a stream or a future emits its elements, or the error`() {
        let stream = FutureStream<Int>()
        stream.completeWith(stream: .success(FutureStream(value: 1)))
        stream.completeWith(stream: .failure(Oops.source))
        stream.completeWith(future: .success(Future(value: 2)))
        stream.completeWith(future: .failure(Oops.other))
        let promise = StreamPromise<Int>()
        promise.completeWith(context: DroppingContext(), stream: .success(FutureStream(value: 1)))
        promise.completeWith(context: DroppingContext(), stream: .failure(Oops.source))
        promise.completeWith(context: DroppingContext(), future: .success(Future(value: 2)))
        promise.completeWith(context: DroppingContext(), future: .failure(Oops.other))
        let expected: [Heard<Int>] = [1, .failure(Oops.source), 2, .failure(Oops.other)]
        #expect([stream.state, promise.stream.state] == [expected, expected])
    }

    @Test func `an explicit finish releases its sources at once, and an ended stream takes no new ones`() {
        let (source, pending, target) = (FutureStream<Int>(), Future<Int>(), FutureStream<Int>())
        target.completeWith(stream: source)
        target.completeWith(future: pending)
        #expect(source.core.subscriberCount == 1 && pending.observerCount == 1)
        target.finish()
        #expect(source.core.subscriberCount == 0 && pending.observerCount == 0)
        target.completeWith(stream: source)
        target.completeWith(future: pending)
        #expect(source.core.subscriberCount == 0 && pending.observerCount == 0)
    }

    @Test func `only the link holds its target`() {
        let source = FutureStream<Int>()
        let watch = Watch { probe in
            let promise = StreamPromise<Int>()
            promise.completeWith(stream: source)
            promise.stream.onSuccess(context: immediate) { _ in probe.use() }
        }
        #expect(!watch.isReleased)
        source.success(1)
        source.finish()
        #expect(watch.isReleased)
    }
}
