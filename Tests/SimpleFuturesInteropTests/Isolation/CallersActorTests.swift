import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Closures labeled `isolated:` run on the caller's actor", .watchdog)
struct CallersActorTests {
    @Test func `also closures that use nothing of the actor`() async {
        let (places, guest) = (Log<String>(), Guest())
        let (value, failure, token) = (Future<Int>(), Future<Int>(), CancelToken())
        let (stream, finished) = (FutureStream<Int>(capacity: 0), FutureStream<Int>(capacity: 0))
        let typed = failure.typed(as: Oops.self)
        let cancelled = value.map(context: immediate, cancelToken: token) { $0 }
        let cancelledStream = stream.map(context: immediate, cancelToken: token) { $0 }
        await guest.observe(value, failure, cancelled, places)
        await guest.observe(stream, finished, cancelledStream, places)
        await guest.observe(typed, places)
        await guest.observe(token, places)
        token.cancel()
        value.success(1)
        failure.failure(Oops.thrown)
        stream.success(1)
        stream.failure(Oops.thrown)
        finished.finish()
        await until { places.count == Guest.closures }
        #expect(places.all == Array(repeating: "actor", count: Guest.closures))
    }

    @Test func `they keep their order with closures that use it`() async {
        let (numbers, guest, stream) = (Log<Int>(), Guest(), FutureStream<Int>(capacity: 0))
        await guest.count(stream, numbers)
        for number in 0..<100 { stream.success(number) }
        await until { numbers.count == 200 }
        #expect(numbers.all == (0..<100).flatMap { [$0, $0] })
    }
}

/// An actor whose code can tell that it runs there, without using the actor.
private actor Guest {
    /// The number of closures that the functions `observe` register, and that run.
    static let closures = 21
    private static let key = DispatchSpecificKey<Bool>()

    private let executor = Executor()

    init() { executor.queue.setSpecific(key: Self.key, value: true) }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    static var place: String { DispatchQueue.getSpecific(key: key) == true ? "actor" : "elsewhere" }

    func observe(_ value: Future<Int>, _ failure: Future<Int>, _ cancelled: Future<Int>, _ places: Log<String>) {
        value.onSuccess(isolated: { _ in places.add(Guest.place) })
        value.onComplete(isolated: { _ in places.add(Guest.place) })
        failure.onFailure(isolated: { _ in places.add(Guest.place) })
        cancelled.onCancel(isolated: { places.add(Guest.place) })
        _ = value.map(isolated: { _ in places.add(Guest.place) })
        _ = value.flatMap(isolated: { number -> Future<Int> in
            places.add(Guest.place)
            return Future(value: number)
        })
        _ = failure.recover(isolated: { _ in
            places.add(Guest.place)
            return 0
        })
    }

    func observe(
        _ stream: FutureStream<Int>, _ finished: FutureStream<Int>, _ cancelled: FutureStream<Int>,
        _ places: Log<String>
    ) {
        stream.onSuccess(isolated: { _ in places.add(Guest.place) })
        stream.onFailure(isolated: { _ in places.add(Guest.place) })
        stream.first().onSuccess(isolated: { _ in places.add(Guest.place) })
        finished.onFinish(isolated: { places.add(Guest.place) })
        cancelled.onCancel(isolated: { places.add(Guest.place) })
        _ = stream.map(isolated: { _ in places.add(Guest.place) })
        _ = stream.flatMap(isolated: { number -> Future<Int> in
            places.add(Guest.place)
            return Future(value: number)
        })
        _ = stream.flatMapLatest(isolated: { number -> Future<Int> in
            places.add(Guest.place)
            return Future(value: number)
        })
        let source = FutureStream<Int>(
            capacity: 1,
            isolated: { _ in
                places.add(Guest.place)
                return CancelAction(isolated: { places.add(Guest.place) })
            })
        source.onSuccess(isolated: { _ in })
    }

    func observe(_ typed: TypedFuture<Int, Oops>, _ places: Log<String>) {
        typed.onResult(isolated: { _ in places.add(Guest.place) })
        typed.onFailure(isolated: { _ in places.add(Guest.place) })
    }

    func observe(_ token: CancelToken, _ places: Log<String>) {
        token.onCancel(isolated: { places.add(Guest.place) })
        token.onCancel(isolated: { places.add("elsewhere") }).cancel()
        let cancelled = CancelToken()
        cancelled.cancel()
        cancelled.onCancel(isolated: {
            self.preconditionIsolated()
            places.add(Guest.place)
        })
    }

    func count(_ stream: FutureStream<Int>, _ numbers: Log<Int>) {
        stream.onSuccess(isolated: { numbers.add($0) })
        stream.onSuccess(isolated: { number in
            self.preconditionIsolated()
            numbers.add(number)
        })
    }
}

private final class Executor: SerialExecutor {
    let queue = DispatchQueue(label: "guest")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
