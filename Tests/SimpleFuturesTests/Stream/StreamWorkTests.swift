import SimpleFutures
import Testing
@testable import TestSupport

@Suite("The work behind a stream", .watchdog)
struct StreamWorkTests {
    private let heard = Log<String>()
    private let stream = Box<FutureStream<Int>?>(FutureStream(producedWith: 0))

    private var core: StreamCore { stream.value!.core }

    private var work: @Sendable () -> Void {
        { [heard] in heard.add("stop") }
    }

    @Test func `the source is stopped once when the stream is dropped without listeners`() {
        core.setWork(work)
        #expect(heard.all == [])
        stream.value = nil
        #expect(heard.all == ["stop"])
    }

    @Test func `the source is stopped when the last listener of a dropped stream unsubscribes`() {
        // Retained during the test, as an emitting producer does.
        let core = core
        let tokens = [CancelToken(), CancelToken()]
        for token in tokens { stream.value?.onSuccess(context: immediate, cancelToken: token) { _ in } }
        core.setWork(work)
        stream.value = nil
        tokens[0].cancel()
        #expect(heard.all == [])
        tokens[1].cancel()
        #expect(heard.all == ["stop"])
        core.finish()
        #expect(heard.all == ["stop"])
    }

    @Test func `it is stopped once when the stream ends`() {
        core.setWork(work)
        core.finish()
        #expect(heard.all == ["stop"])
        stream.value = nil
        #expect(heard.all == ["stop"])
    }

    @Test func `it is stopped at once if the stream has already ended`() {
        core.finish()
        core.setWork(work)
        #expect(heard.all == ["stop"])
    }

    @Test func `the source is stopped at once if the stream is unreachable`() {
        let core = core
        stream.value = nil
        core.setWork(work)
        #expect(heard.all == ["stop"])
        core.finish()
        #expect(heard.all == ["stop"])
    }
}
