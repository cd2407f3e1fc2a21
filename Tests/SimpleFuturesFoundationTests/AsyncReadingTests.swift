import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

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
