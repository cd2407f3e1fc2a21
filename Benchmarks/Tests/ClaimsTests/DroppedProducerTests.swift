import NIOCore
import NIOPosix
@preconcurrency import OpenCombine
import SimpleFutures
import SimpleFuturesInterop
import Testing

@Suite("The producer is dropped", .timeLimit(.minutes(5)))
struct DroppedProducerTests {
    @Test func `a checked continuation leaves its task waiting forever and writes a line`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let dropped = Task { await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in } }
            let kept = Task { await withCheckedContinuation { $0.resume() } }
            #expect(await dropped.isWaiting(aSecondAfter: kept))
        }
        expect(result, toSay: "leaked its continuation without resuming it")
    }

    @Test func `AsyncStream leaves its loop waiting forever`() async {
        let dropped = Task {
            let (stream, _) = AsyncStream.makeStream(of: Int.self)
            for await _ in stream {}
        }
        let finished = Task {
            let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
            continuation.finish()
            for await _ in stream {}
        }
        #expect(await dropped.isWaiting(aSecondAfter: finished))
    }

    @Test func `NIO leaves a task waiting forever, and does not call a callback`() async {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let heard = Log<String>()
        loop.makePromise(of: Int.self).futureResult.whenComplete { _ in heard.add("end") }
        let dropped = Task { try? await loop.makePromise(of: Int.self).futureResult.get() }
        let kept = Task { try? await loop.makeSucceededFuture(1).get() }
        #expect(await dropped.isWaiting(aSecondAfter: kept))
        #expect(heard.all.isEmpty)
    }

    // It is an assertion in NIO.
    #if DEBUG
    @Test func `NIO traps in a debug build if the future has no callback`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: Int.self)
        }
        expect(result, toSay: "leaking promise created at")
    }
    #endif

    @Test func `Combine leaves a task waiting forever, and does not call a sink`() async {
        let heard = Log<String>()
        let sink = OpenCombine.Future<Int, Never> { _ in }
            .sink(receiveCompletion: { _ in heard.add("end") }, receiveValue: { _ in heard.add("value") })
        let dropped = Task { await OpenCombine.Future<Int, Never> { _ in }.value }
        let kept = Task { await OpenCombine.Future<Int, Never> { $0(.success(1)) }.value }
        #expect(await dropped.isWaiting(aSecondAfter: kept))
        #expect(heard.all.isEmpty)
        sink.cancel()
    }

    @Test func `Combine's subject leaves a loop waiting forever, and does not call a sink`() async {
        let heard = Log<String>()
        let sink = PassthroughSubject<Int, Never>()
            .sink(receiveCompletion: { _ in heard.add("end") }, receiveValue: { _ in heard.add("value") })
        let dropped = Task { for await _ in PassthroughSubject<Int, Never>().values {} }
        let finished = Task {
            let subject = PassthroughSubject<Int, Never>()
            subject.send(completion: .finished)
            for await _ in subject.values {}
        }
        #expect(await dropped.isWaiting(aSecondAfter: finished))
        #expect(heard.all.isEmpty)
        sink.cancel()
    }

    @Test func `SimpleFutures fails the future with the promise's source location, and reports it`() async {
        Reports.begin()
        let broken = FuturesError.brokenPromise(createdAt: CreationSite(fileID: "Claims/dropped", line: 1))
        let future = Promise<Int>(fileID: "Claims/dropped", line: 1).future
        await #expect(throws: broken) { try await future.value }
        #expect(Reports.contain(.brokenPromise(createdAt: CreationSite(fileID: "Claims/dropped", line: 1))))
    }

    @Test func `SimpleFutures fails a dropped handler's future with the call's source location`() async {
        let broken = FuturesError.brokenPromise(createdAt: CreationSite(fileID: "Claims/blockless", line: 1))
        let future: SimpleFutures.Future<Int> = future(
            method: {
                (_: @escaping @Sendable (Int) -> Void) in
            }, fileID: "Claims/blockless", line: 1)
        await #expect(throws: broken) { try await future.value }
    }

    @Test func `SimpleFutures finishes the stream`() async throws {
        let stream = StreamPromise<Int>().stream
        for try await _ in stream.values { Issue.record("nothing was emitted") }
        #expect(stream.isFinished)
    }
}
