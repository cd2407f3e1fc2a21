import NIOCore
import NIOPosix
@preconcurrency import OpenCombine
import SimpleFutures
import SimpleFuturesInterop
import Testing

@Suite("The completion is called twice", .timeLimit(.minutes(5)))
struct CompletedTwiceTests {
    @Test func `a checked continuation traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await withCheckedContinuation { continuation in
                continuation.resume()
                continuation.resume()
            }
        }
        expect(result, toSay: "tried to resume its continuation more than once")
    }

    @Test func `NIO keeps the first value without a report`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let promise = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: Int.self)
            promise.succeed(1)
            promise.succeed(2)
            let value = try await promise.futureResult.get()
            #expect(value == 1)
        }
        #expect(result?.standardErrorContent == [])
    }

    @Test func `Combine keeps the first value without a report`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let future = OpenCombine.Future<Int, Never> { promise in
                promise(.success(1))
                promise(.success(2))
            }
            #expect(await future.value == 1)
        }
        #expect(result?.standardErrorContent == [])
    }

    @Test func `SimpleFutures keeps the first value and reports the second with the promise's source location`()
        async throws
    {
        Reports.begin()
        let site = CreationSite(fileID: "Claims/twice", line: 1)
        let promise = Promise<Int>(fileID: "Claims/twice", line: 1)
        promise.success(1)
        promise.success(2)
        #expect(try await promise.future.value == 1)
        #expect(Reports.contain(.completedTwice(createdAt: site)))
    }

    @Test func `SimpleFutures keeps a handler's first call and reports the second with the call's source location`()
        async throws
    {
        Reports.begin()
        let site = CreationSite(fileID: "Claims/block", line: 1)
        let future: SimpleFutures.Future<Int> = future(
            method: {
                (done: @escaping @Sendable (Int) -> Void) in
                done(1)
                done(2)
            }, fileID: "Claims/block", line: 1)
        #expect(try await future.value == 1)
        #expect(Reports.contain(.blockCalledTwice(createdAt: site)))
    }
}
