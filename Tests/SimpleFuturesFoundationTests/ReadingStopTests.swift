import Foundation
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import SimpleFuturesFoundation
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
        let (pipe, token) = (RawPipe(), CancelToken())
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

    @Test func `at the end the descriptor is closed while the stream is held, and a token does nothing`() async throws {
        let (pipe, token) = (RawPipe(), CancelToken())
        let stream = pipe.handle.lines(capacity: .max, cancelToken: token)
        pipe.write("text")
        pipe.closeWriting()
        #expect(await eventually { stream.isFinished && copies(of: pipe.reading) == 1 })
        token.cancel()
        #expect(stream.isFinished && !stream.isCancelled)
        #expect(try await everything(in: stream.values) == ["text"])
        close(pipe.reading)
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

    @Test func `after a callback has canceled the token no more elements arrive`() async throws {
        try await withFile(pattern(10_000)) { file in
            let (token, count) = (CancelToken(), Box(0))
            let stream = file.chunks(capacity: 0, chunkSize: 10, cancelToken: token)
            stream.onSuccess(context: immediate) { _ in
                count.increment()
                if count.value == 5 { token.cancel() }
            }
            let hasStopped = await eventually(within: .seconds(3)) { stream.isCancelled }
            #expect(hasStopped)
            #expect(count.value == 5)
            #expect((try? file.offset()) == 50)
        }
    }

    @Test func `a canceled token reads nothing more, even if it stops another source first`() async {
        let (pipe, other, token) = (RawPipe(), RawPipe(), CancelToken())
        let (read, unread) = (DispatchSemaphore(value: 0), Box(0))
        let reader = other.handle.chunks(capacity: 0, chunkSize: 1)
        reader.onSuccess(context: immediate) { _ in read.signal() }
        let first = FutureStream<Int>(capacity: 1, cancelToken: token) { emitter in
            CancelAction {
                pipe.write("a")
                // Another reader has time to read.
                for _ in 0..<20 {
                    other.write("b")
                    read.wait()
                }
                unread.value = pipe.unread
                withExtendedLifetime(emitter) {}
            }
        }
        let second = pipe.handle.chunks(capacity: 1, cancelToken: token)
        await onThread { token.cancel() }
        #expect(first.isCancelled && second.isCancelled && unread.value == 1)
        pipe.closeBoth()
        other.closeBoth()
    }

    @Test func `a reader that is stopped just before it waits closes its descriptor`() async throws {
        let pipe = RawPipe()
        defer { pipe.closeBoth() }
        let (queue, loop) = (DispatchQueue(label: "ReadingStopTests"), Box<ReadLoop?>(nil))
        let stop = { @Sendable in
            loop.value?.stop()
            return false
        }
        loop.value = ReadLoop(try Descriptor(copying: pipe.reading), chunkSize: 1, on: queue, isOver: stop) { _ in nil }
        loop.value?.start()
        queue.sync {}
        loop.value = nil
        #expect(await eventually { copies(of: pipe.reading) == 2 })
    }

    @Test func `bytes that arrive after the end are not read, even if the reader has looked before`() throws {
        let pipe = RawPipe()
        defer { pipe.closeBoth() }
        let (queue, hasLooked) = (DispatchQueue(label: "ReadingStopTests"), Box(false))
        let isOver = { @Sendable in
            guard !hasLooked.value else { return true }
            hasLooked.value = true
            pipe.write("a")
            return false
        }
        let loop = ReadLoop(try Descriptor(copying: pipe.reading), chunkSize: 1, on: queue, isOver: isOver) { _ in nil }
        loop.start()
        queue.sync {}
        #expect(hasLooked.value && pipe.unread == 1)
    }

    @Test func `a token can be canceled at any moment`() async throws {
        for round in 0..<Stress.rounds(100) {
            let (pipe, token) = (RawPipe(), CancelToken())
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
                if number % 2 == 0 { stream.onSuccess(context: immediate) { _ in } }
                if number % 7 == 0 { do { _ = stream.subscription() } }
                if number % 5 == 4 { stream.onSuccess(cancelToken: token) { _ in } }
                token.cancel()
            }
            await expectDescriptors(since: before, atMost: 5)
        }
    }

    @Test func `two hundred megabytes pass through an immediate callback, and little memory is needed`() async {
        await #expect(processExitsWith: .success) {
            let zero = FileHandle(forReadingAtPath: "/dev/zero")!
            let (token, size) = (CancelToken(), Box(0))
            await expectMemory(atMost: 50_000_000) {
                zero.chunks(capacity: 0, cancelToken: token).onSuccess(context: immediate) { piece in
                    size.change { $0 += piece.count }
                    if size.value >= 200_000_000 { token.cancel() }
                }
                await eventually { token.isCancelled }
            }
        }
    }

    @Test(arguments: [0, .max])
    func `lines of a piece that the last subscriber has left are for the next one`(capacity: Int) async {
        let pipe = RawPipe()
        let (stream, token, first) = (pipe.handle.lines(capacity: capacity), CancelToken(), Log<String>())
        stream.onSuccess(context: immediate, cancelToken: token) { line in
            first.add(line)
            token.cancel()
        }
        pipe.write("1\n2\n3\nrest")
        pipe.closeBoth()
        await until { first.count == 1 && stream.core.subscriberCount == 0 }
        let second = Log<String>()
        stream.onSuccess(context: immediate) { second.add($0) }
        await until { second.last == "rest" }
        #expect(first.all == ["1"])
        #expect(second.all == (capacity == 0 ? [] : ["1"]) + ["2", "3", "rest"])
    }

    @Test func `a replay buffer of small pieces needs little memory`() async {
        await #expect(processExitsWith: .success) {
            let pipe = RawPipe()
            let stream = pipe.handle.chunks(capacity: .max)
            await expectMemory(atMost: 50_000_000) {
                for number in 1...3_000 {
                    pipe.write("a piece of several words")
                    await eventually { stream.count == number }
                }
            }
        }
    }
}
