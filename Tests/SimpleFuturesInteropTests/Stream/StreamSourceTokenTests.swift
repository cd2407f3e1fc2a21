import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("A token for a stream with a source", .watchdog)
struct StreamSourceTokenTests {
    private let faucet = Faucet()
    private let heard = Box<[String]>([])

    @Test(arguments: [0, 1]) func `a token that was cancelled before starts nothing`(_ capacity: Int) {
        let token = CancelToken()
        token.cancel()
        let stream = faucet.stream(capacity: capacity, cancelToken: token)
        #expect(stream.isCancelled)
        stream.words(to: heard)
        #expect(heard.value == ["cancel"])
        #expect(faucet.news() == [])
        #expect(faucet.alive.count == 0)
    }

    @Test func `a token that is cancelled before anybody listens starts nothing`() {
        let token = CancelToken()
        let stream = faucet.stream(cancelToken: token)
        token.cancel()
        #expect(stream.isCancelled)
        stream.words(to: heard)
        #expect(heard.value == ["cancel"])
        #expect(faucet.news() == [])
        #expect(faucet.alive.count == 0)
    }

    @Test func `a token stops it and cancels the stream at once, not just the callbacks`() async {
        let token = CancelToken()
        let stream = faucet.stream(cancelToken: token)
        stream.words(to: heard)
        var iterator = stream.results.makeAsyncIterator()
        let emitter = faucet.emitter.value
        token.cancel()
        #expect(faucet.news() == ["start", "stop"])
        emitter?.success(1)
        #expect(heard.value == ["cancel"])
        #expect(await iterator.word() == "cancelled")
        #expect(faucet.alive.count == 0)
    }

    @Test func `a token that is cancelled inside of the start stops it when it has started`() {
        let token = CancelToken()
        let stream = faucet.stream(
            cancelToken: token,
            onStart: {
                token.cancel()
                $0.success(1)
            })
        stream.words(to: heard)
        #expect(heard.value == ["cancel"])
        #expect(faucet.news() == ["start", "stop"])
        #expect(faucet.alive.count == 0)
    }

    @Test func `a token that is cancelled while it is being stopped ends it`() {
        let (token, leaving) = (CancelToken(), CancelToken())
        let stream = faucet.stream(cancelToken: token, onStop: { token.cancel() })
        stream.words(to: heard, cancelToken: leaving)
        leaving.cancel()
        #expect(faucet.news() == ["start", "stop"])
        #expect(stream.isCancelled)
        #expect(heard.value == ["cancel"])
    }

    @Test func `a token has nothing to do with a stream that has ended, or is gone`() {
        let token = CancelToken()
        let stream = faucet.stream(cancelToken: token)
        stream.words(to: heard)
        #expect(token.registrationCount == 1)
        faucet.emitter.value?.finish()
        #expect(token.registrationCount == 0)
        _ = faucet.stream(capacity: 1, cancelToken: token)
        #expect(token.registrationCount == 0)
        token.cancel()
        #expect(heard.value == ["finish"])
        #expect(faucet.news() == ["start", "stop", "start", "stop"])
    }
}
