import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("The end of reading", .watchdog)
struct ReadingStopTests {
    @Test func `with a canceled token nothing is read`() async throws {
        let pipe = RawPipe()
        pipe.write("text")
        let token = CancelToken()
        token.cancel()
        for capacity in [0, 5] {
            let stream = pipe.handle.chunks(capacity: capacity, cancelToken: token)
            #expect(stream.isCancelled)
            await #expect(throws: CancellationError.self) { try await everything(in: stream.values) }
        }
        #expect(pipe.unread == 4)
        pipe.closeBoth()
    }

    @Test func `a token stops the reading and closes the descriptor while the stream is held`() async throws {
        let pipe = RawPipe()
        let token = CancelToken()
        let stream = pipe.handle.chunks(capacity: .max, cancelToken: token)
        pipe.write("text")
        await eventually { stream.count == 1 }
        token.cancel()
        #expect(stream.isCancelled)
        #expect(await eventually { copies(of: pipe.reading) == 2 })
        pipe.write("more")
        #expect(stream.count == 1 && pipe.unread == 4)
        token.cancel()
        pipe.closeBoth()
    }

    @Test func `at the end the descriptor is closed while the stream is held, and a token has no effect`()
        async throws
    {
        let pipe = RawPipe()
        let token = CancelToken()
        let stream = pipe.handle.lines(capacity: .max, cancelToken: token)
        pipe.write("text")
        pipe.closeWriting()
        #expect(await eventually { stream.isFinished && copies(of: pipe.reading) == 1 })
        token.cancel()
        #expect(stream.isFinished && !stream.isCancelled)
        #expect(try await everything(in: stream.values) == ["text"])
        close(pipe.reading)
    }

    @Test func `canceling a task stops the reading`() async throws {
        let pipe = RawPipe()
        let stream = pipe.handle.chunks(capacity: 0)
        let loop = Task { for try await _ in stream.values {} }
        pipe.write("text")
        await eventually { pipe.unread == 0 }
        loop.cancel()
        await #expect(throws: CancellationError.self) { try await loop.value }
        #expect(stream.core.subscriberCount == 0)
        pipe.write("more")
        let rest = Task { try await stream.values.first { _ in true } }
        #expect(try await rest.value == Data("more".utf8))
        pipe.closeBoth()
    }

    @Test(arguments: [0, 3, Int.max])
    func `dropping a stream closes its descriptor`(capacity: Int) async throws {
        let pipe = RawPipe()
        do {
            let stream = pipe.handle.chunks(capacity: capacity)
            let lines = pipe.handle.lines(capacity: capacity)
            do { _ = (stream.subscription(), lines.subscription()) }
            #expect(copies(of: pipe.reading) == 4)
        }
        #expect(await eventually { copies(of: pipe.reading) == 2 })
        pipe.closeBoth()
    }

    @Test func `a dropped stream is still read for its subscribers`() async throws {
        let pipe = RawPipe()
        let loop = pipe.handle.chunks(capacity: 0).subscription()
        pipe.write("text")
        pipe.closeWriting()
        #expect(try await everything(in: loop) == [Data("text".utf8)])
        #expect(await eventually { copies(of: pipe.reading) == 1 })
        close(pipe.reading)
    }

    @Test func `after a callback has canceled the token no more elements arrive`() async throws {
        try await withFile(pattern(10_000)) { file in
            let token = CancelToken()
            let count = Box(0)
            let stream = file.chunks(capacity: 0, chunkSize: 10, cancelToken: token)
            stream.onSuccess(context: ImmediateContext()) { _ in
                count.increment()
                if count.value == 5 { token.cancel() }
            }
            let hasStopped = await eventually(within: .seconds(3)) { stream.isCancelled }
            #expect(hasStopped)
            #expect(count.value == 5)
            #expect((try? file.offset()) == 50)
        }
    }

    @Test func `a token can be canceled at any moment`() async throws {
        for round in 0..<Stress.rounds(100) {
            let pipe = RawPipe()
            let token = CancelToken()
            let stream = pipe.handle.chunks(capacity: round % 2 == 0 ? 0 : .max, chunkSize: 1, cancelToken: token)
            let loop = Task { try await Data(joining: everything(in: stream.values)) }
            let canceller = Task {
                for _ in 0..<round % 20 { await Task.yield() }
                token.cancel()
            }
            pipe.write("0123456789")
            pipe.closeWriting()
            await canceller.value
            let all = try? await loop.value
            #expect(all == nil || all == Data("0123456789".utf8))
            #expect(await eventually { copies(of: pipe.reading) == 1 })
            close(pipe.reading)
        }
    }

    @Test func `a thousand streams leave no descriptor open, whatever their end`() async {
        await #expect(processExitsWith: .success) {
            let pipes = (0..<10).map { _ in RawPipe() }
            let before = openDescriptors().count
            for number in 0..<1_000 {
                let pipe = pipes[number % 10]
                let token = CancelToken()
                let stream = pipe.handle.chunks(capacity: number % 3, cancelToken: token)
                if number % 2 == 0 { stream.onSuccess(context: ImmediateContext()) { _ in } }
                if number % 7 == 0 { do { _ = stream.subscription() } }
                if number % 5 < 4 { token.cancel() }
                if number % 5 == 4 { stream.onSuccess(cancelToken: token) { _ in }; token.cancel() }
            }
            await expectDescriptors(since: before, atMost: 5)
        }
    }

    @Test func `two hundred megabytes pass through an immediate callback, and little memory is needed`() async {
        await #expect(processExitsWith: .success) {
            let zero = FileHandle(forReadingAtPath: "/dev/zero")!
            let token = CancelToken()
            let size = Box(0)
            let before = peakMemory()
            zero.chunks(capacity: 0, cancelToken: token).onSuccess(context: ImmediateContext()) { piece in
                size.change { $0 += piece.count }
                if size.value >= 200_000_000 { token.cancel() }
            }
            await eventually { token.isCancelled }
            let needed = peakMemory() - before
            precondition(needed < 50_000_000, "\(needed) bytes were needed")
        }
    }

    @Test func `a replay buffer of small pieces needs little memory`() async {
        await #expect(processExitsWith: .success) {
            let pipe = RawPipe()
            let stream = pipe.handle.chunks(capacity: .max)
            let before = peakMemory()
            for number in 1...3_000 {
                pipe.write("a")
                await eventually { stream.count == number }
            }
            let needed = peakMemory() - before
            precondition(needed < 50_000_000, "\(needed) bytes were needed for 3000")
        }
    }
}
