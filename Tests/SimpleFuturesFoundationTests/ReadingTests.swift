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

@Suite("Chunks and lines that are read on demand", .watchdog)
struct AsyncReadingTests {
    @Test func `nothing is read without demand`() async throws {
        try await withFile(Data("0123456789".utf8)) { file async throws in
            let chunks = file.asyncChunks(chunkSize: 4)
            var iterator = chunks.makeAsyncIterator()
            #expect(try await iterator.next() == Data("0123".utf8))
            #expect(try file.read(upToCount: 2) == Data("45".utf8))
            #expect(try await iterator.next() == Data("6789".utf8))
        }
    }

    @Test func `a writer waits for a slow loop, and nothing is lost`() async throws {
        let pipe = Pipe()
        let count = 5_000_000
        let written = Box(0)
        Thread.detachNewThread {
            let piece = Data(repeating: 7, count: 50_000)
            while written.value < count {
                try? pipe.fileHandleForWriting.write(contentsOf: piece)
                written.change { $0 += piece.count }
            }
            try? pipe.fileHandleForWriting.close()
        }
        var read = 0
        for try await piece in pipe.asyncChunks() {
            read += piece.count
            // The pipe holds 64 KB or another capacity; one piece has been read, and one is being written.
            #expect(written.value - read <= 2 * 1_048_576)
        }
        #expect(read == count)
    }

    @Test func `lines arrive as they end; the next loop gets the others, and the rest at the end`() async throws {
        try await withFile(Data("one\r\ntwo\n\nthree".utf8)) { file async throws in
            let (lines, first) = (file.asyncLines(), Log<String>())
            for try await line in lines {
                first.add(line)
                if line == "two" { break }
            }
            #expect(first.all == ["one", "two"])
            #expect(try await everything(in: lines) == ["", "three"])
        }
    }

    @Test func `a canceled task reads nothing`() async throws {
        try await withFile(Data("text".utf8)) { file async throws in
            let chunks = file.asyncChunks()
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                var iterator = chunks.makeAsyncIterator()
                return try await iterator.next()
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            var iterator = chunks.makeAsyncIterator()
            #expect(try await iterator.next() == Data("text".utf8))
        }
    }

    @Test func `cancellation at any moment loses no byte`() async throws {
        let pipe = Pipe()
        let chunks = pipe.asyncChunks(chunkSize: 1)
        let heard = Log<UInt8>()
        for number in 0..<UInt8(Stress.rounds(100) % 256) {
            let loop = Task { for try await piece in chunks { heard.add(piece[0]) } }
            let canceller = Task.detached {
                for _ in 0..<number { await Task.yield() }
                loop.cancel()
            }
            try pipe.fileHandleForWriting.write(contentsOf: Data([number]))
            await canceller.value
            _ = await loop.result
        }
        try pipe.fileHandleForWriting.close()
        for try await piece in chunks { heard.add(piece[0]) }
        #expect(heard.all == Array(0..<UInt8(Stress.rounds(100) % 256)))
    }

    @Test func `several loops share the lines, and each line is whole`() async throws {
        let text = (0..<40_000).map { "\($0) is the number of a line that is long enough for many pieces" }
        try await withFile(Data(text.joined(separator: "\n").utf8)) { file async throws in
            let (lines, heard) = (file.asyncLines(), Log<String>())
            let loops = (0..<3).map { _ in Task { for try await line in lines { heard.add(line) } } }
            for loop in loops { try await loop.value }
            #expect(heard.all.sorted() == text.sorted())
        }
    }

    @Test func `a loop that waits for its turn can be canceled, and no line is lost`() async throws {
        let pipe = Pipe()
        let (lines, heard) = (pipe.asyncLines(), Log<String>())
        let loops = (0..<3).map { _ in Task { for try await line in lines { heard.add(line) } } }
        for _ in 0..<100 { await Task.yield() }
        for loop in loops.dropLast() {
            loop.cancel()
            await #expect(throws: CancellationError.self) { try await loop.value }
        }
        try pipe.fileHandleForWriting.write(contentsOf: Data("one\ntwo\nthree".utf8))
        try pipe.fileHandleForWriting.close()
        try await loops[2].value
        #expect(heard.all == ["one", "two", "three"])
    }

    @Test func `a canceled task leaves the beginning of a line to the next loop`() async throws {
        let pipe = Pipe()
        let (lines, heard) = (pipe.asyncLines(), Log<String>())
        let task = Task { for try await line in lines { heard.add(line) } }
        try pipe.fileHandleForWriting.write(contentsOf: Data("one\ntw".utf8))
        await eventually { heard.count == 1 }
        for _ in 0..<100 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try pipe.fileHandleForWriting.write(contentsOf: Data("o\n".utf8))
        try pipe.fileHandleForWriting.close()
        #expect(try await everything(in: lines) == ["two"])
        #expect(heard.all == ["one"])
    }

    @Test func `a loop that is left closes its descriptor`() async throws {
        var pipe: Pipe? = Pipe()
        let writing = try #require(pipe).fileHandleForWriting
        let task = Task { [chunks = pipe!.asyncChunks()] in for try await _ in chunks {} }
        for _ in 0..<100 { await Task.yield() }
        task.cancel()
        _ = await task.result
        pipe = nil
        signal(SIGPIPE, SIG_IGN)
        let isBroken = await eventually { (try? writing.write(contentsOf: Data([1]))) == nil }
        #expect(isBroken)
    }
}
