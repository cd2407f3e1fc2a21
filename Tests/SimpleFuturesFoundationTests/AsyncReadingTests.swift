import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import Testing
@testable import TestSupport

@Suite("Chunks and lines that are read on demand", .watchdog)
struct AsyncReadingTests {
    private func withFile(_ data: Data, _ body: (FileHandle) async throws -> Void) async throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "SimpleFutures-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        try data.write(to: url)
        try await body(FileHandle(forReadingFrom: url))
    }

    @Test(arguments: [1, 3, 10, 65_536])
    func `a file is read in pieces of the requested size, then ends`(chunkSize: Int) async throws {
        try await withFile(Data("0123456789".utf8)) { file async throws in
            var iterator = file.asyncChunks(chunkSize: chunkSize).makeAsyncIterator()
            var all = Data()
            while let piece = try await iterator.next() {
                #expect(1...chunkSize ~= piece.count)
                all.append(piece)
            }
            #expect(all == Data("0123456789".utf8))
            #expect(try await iterator.next() == nil)
        }
    }

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

    @Test func `lines arrive as they end, and the rest at the end is the last line`() async throws {
        try await withFile(Data("one\r\ntwo\n\nthree".utf8)) { file async throws in
            #expect(try await everything(in: file.asyncLines()) == ["one", "two", "", "three"])
        }
        #expect(try await everything(in: FileHandle.nullDevice.asyncLines()) == [])
    }

    @Test func `after a loop is left, the next loop continues with the next line`() async throws {
        try await withFile(Data((0..<1_000).map { "\($0)\n" }.joined().utf8)) { file async throws in
            let lines = file.asyncLines()
            for try await line in lines where line == "9" { break }
            var rest = lines.makeAsyncIterator()
            #expect(try await rest.next() == "10")
        }
    }

    @Test func `canceling a task ends its wait, and later bytes go to the next reader`() async throws {
        let pipe = Pipe()
        let chunks = pipe.asyncChunks()
        let task = Task { for try await _ in chunks {} }
        for _ in 0..<100 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try pipe.fileHandleForWriting.write(contentsOf: Data("kept".utf8))
        var iterator = chunks.makeAsyncIterator()
        #expect(try await iterator.next() == Data("kept".utf8))
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

    @Test func `several loops share the pieces`() async throws {
        let pipe = Pipe()
        let chunks = pipe.asyncChunks(chunkSize: 1)
        let heard = Log<UInt8>()
        let loops = (0..<3).map { _ in Task { for try await piece in chunks { heard.add(piece[0]) } } }
        try pipe.fileHandleForWriting.write(contentsOf: Data(0..<100))
        try pipe.fileHandleForWriting.close()
        for loop in loops { try await loop.value }
        #expect(heard.all.sorted() == Array(0..<100))
    }

    @Test func `a read error is thrown and ends the loop`() async throws {
        let folder = try FileHandle(forReadingFrom: FileManager.default.temporaryDirectory)
        var iterator = folder.asyncChunks().makeAsyncIterator()
        await #expect(throws: POSIXError.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
        var writing = Pipe().fileHandleForWriting.asyncLines().makeAsyncIterator()
        await #expect(throws: POSIXError(.EBADF)) { try await writing.next() }
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

    @Test func `a chunk size of zero stops the program with a message`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = FileHandle.standardInput.asyncChunks(chunkSize: 0)
        }
        expect(result, toSay: "`FileHandle.asyncChunks` was given the chunk size 0", "at least 1 byte", "Pass 1")
    }
}
