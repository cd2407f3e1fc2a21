import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("A stream starts its source for those who listen", .watchdog)
final class StreamSourceTests {
    private let faucet = Faucet()
    private let heard = Box<[String]>([])

    // So that no source runs for ever.
    deinit { faucet.emitter.value?.finish() }

    // MARK: Who listens

    @Test(arguments: Listening.allCases)
    func `without a history the first listener starts it, and the last one stops it`(_ listening: Listening) {
        let stream = faucet.stream()
        #expect(faucet.news() == [])
        let leave = listening.begin(on: stream)
        #expect(faucet.news() == ["start"])
        let leaveToo = listening.begin(on: stream)
        leave()
        #expect(faucet.news() == [])
        leaveToo()
        #expect(faucet.news() == ["stop"])
        // And anew for the next one.
        listening.begin(on: stream)()
        #expect(faucet.news() == ["start", "stop"])
        #expect(!stream.isFinished && !stream.isCancelled)
        #expect(faucet.emitter.value == nil)
    }

    @Test func `whoever waits for the end alone does not count`() {
        let stream = faucet.stream()
        let token = CancelToken()
        stream.onFinish(context: ImmediateContext(), cancelToken: token) {}
        stream.onCancel(context: ImmediateContext()) {}
        #expect(faucet.news() == [])
        let leave = Listening.success.begin(on: stream)
        #expect(faucet.news() == ["start"])
        leave()
        #expect(faucet.news() == ["stop"])
        token.cancel()
        #expect(faucet.news() == [])
        // Who has gone does not count either.
        Listening.success.begin(on: stream)()
        #expect(faucet.news() == ["start", "stop"])
        stream.finish()
    }

    @Test func `a loop that breaks stops it`() async throws {
        let stream = faucet.stream(onStart: { for number in 1...3 { $0.success(number) } })
        for try await number in stream.values where number == 2 { break }
        #expect(faucet.news() == ["start", "stop"])
        for await result in stream.results where result.value == 3 { break }
        #expect(faucet.news() == ["start", "stop"])
    }

    @Test func `a loop whose task is cancelled stops it`() async {
        let stream = faucet.stream()
        let loop = Task { for try await _ in stream.values {} }
        await until { faucet.emitter.value != nil }
        loop.cancel()
        _ = await loop.result
        #expect(faucet.news() == ["start", "stop"])
    }

    @Test func `one of two loops that ends leaves it alone`() async throws {
        let stream = faucet.stream(onStart: { $0.success(1) })
        let subscription = stream.subscription()
        for try await _ in subscription {
            let other = Task { for try await _ in stream.values {} }
            await until { stream.core.subscriberCount == 2 }
            other.cancel()
            _ = await other.result
            #expect(stream.core.subscriberCount == 1)
            #expect(faucet.news() == ["start"])
            break
        }
        #expect(faucet.news() == ["stop"])
    }

    @Test func `a future that takes the first element stops it by that`() async throws {
        let stream = faucet.stream()
        let first = Future<Int>()
        first.completeWith(context: ImmediateContext(), stream: stream)
        faucet.emit(1, 2)
        #expect(first.result?.value == 1)
        #expect(faucet.news() == ["start", "stop"])
    }

    // MARK: History

    @Test func `with a history it is started at once, so that nothing is missed`() {
        let stream = faucet.stream(capacity: 2)
        #expect(faucet.news() == ["start"])
        faucet.emit(1, 2, 3)
        let token = CancelToken()
        stream.words(to: heard, cancelToken: token)
        faucet.emit(4)
        #expect(heard.value == ["2", "3", "4"])
        #expect(faucet.news() == [])
        token.cancel()
        #expect(faucet.news() == ["stop"])
        // Nobody has come and gone before the first: now it is stopped, the history stays.
        #expect(stream.count == 2)
        stream.words(to: heard)
        #expect(faucet.news() == ["start"])
        #expect(heard.value == ["2", "3", "4", "3", "4"])
    }

    @Test func `a history is not kept up while nobody listens, who was there before`() {
        let stream = faucet.stream(capacity: 5)
        Listening.success.begin(on: stream)()
        #expect(faucet.news() == ["start", "stop"])
        stream.onFinish(context: ImmediateContext()) {}
        #expect(faucet.news() == [])
        stream.finish()
    }

    @Test func `a capacity below zero ends the program`() async {
        await #expect(processExitsWith: .failure) { _ = Faucet().stream(capacity: -1) }
    }

    // MARK: Elements

    @Test func `every listener gets each element, and values and errors keep their order`() {
        let stream = faucet.stream()
        let (first, second) = (Box<[String]>([]), Box<[String]>([]))
        stream.words(to: first)
        faucet.emit(1)
        stream.words(to: second)
        faucet.emitter.value?.failure(Failure())
        faucet.emitter.value?.complete(.success(2))
        faucet.emitter.value?.complete(.failure(Failure()))
        #expect(first.value == ["1", "failure", "2", "failure"])
        #expect(second.value == ["failure", "2", "failure"])
        #expect(faucet.news() == ["start"])
    }

    @Test func `an element without a value needs none`() {
        let count = Tally()
        let stream = FutureStream<Void>(capacity: 0) { emitter -> CancelAction? in
            emitter.success()
            return nil
        }
        stream.onSuccess(context: ImmediateContext()) { count.add() }
        #expect(count.count == 1)
    }

    @Test func `what is emitted while it is being started reaches whoever has it started`() {
        let stream = faucet.stream(onStart: {
            $0.success(1)
            $0.success(2)
        })
        stream.words(to: heard)
        #expect(heard.value == ["1", "2"])
    }

    @Test func `what is emitted while it is being started is in the history`() {
        let stream = faucet.stream(capacity: 1, onStart: { $0.success(1) })
        #expect(stream.futures.map { $0.result?.value } == [1])
        stream.words(to: heard)
        #expect(heard.value == ["1"])
    }

    @Test func `what comes late of a run that was stopped is dropped`() {
        let stream = faucet.stream()
        let leave = Listening.success.begin(on: stream)
        let late = faucet.emitter.value
        leave()
        stream.words(to: heard)
        late?.success(1)
        late?.failure(Failure())
        late?.finish()
        #expect(!stream.isFinished)
        faucet.emit(2)
        #expect(heard.value == ["2"])
        #expect(faucet.news() == ["start", "stop", "start"])
    }

    @Test func `an emitter of a run that was stopped may go, and ends nothing`() {
        let stream = faucet.stream()
        var late: StreamEmitter<Int>?
        let leave = Listening.success.begin(on: stream)
        late = faucet.emitter.value
        leave()
        stream.words(to: heard)
        withExtendedLifetime(late) {}
        late = nil
        #expect(!stream.isFinished)
        faucet.emit(1)
        #expect(heard.value == ["1"])
    }
}
