import Dispatch
import Foundation
import SimpleFutures
@testable import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("File handles", .watchdog)
struct FileHandleTests {
    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 1_000_000], [1, 1_000, 65_536, 10_000_000])
    func `a file is read in pieces up to the requested size, then ends`(size: Int, chunkSize: Int) async throws {
        // Not more than a thousand pieces.
        let content = pattern(min(size, 1_000 * chunkSize))
        try await withFile(content) { file in
            let pieces = try await everything(in: file.chunks(capacity: 0, chunkSize: chunkSize).values)
            try file.seek(toOffset: 0)
            let onDemand = try await everything(in: file.asyncChunks(chunkSize: chunkSize))
            for pieces in [pieces, onDemand] {
                #expect(Data(joining: pieces) == content)
                #expect(pieces.allSatisfy { 1...chunkSize ~= $0.count })
            }
        }
    }

    @Test func `reading begins at the offset, with the first subscription, or at once with a buffer`() async throws {
        try await withFile(Data("0123456789".utf8)) { file in
            try file.seek(toOffset: 4)
            let lazy = file.chunks(capacity: 0)
            #expect(try file.offset() == 4)
            let eager = file.chunks(capacity: 1)
            await eventually { eager.isFinished }
            #expect(try await everything(in: eager.values) == [Data("456789".utf8)])
            try file.seek(toOffset: 4)
            #expect(try await everything(in: lazy.values) == [Data("456789".utf8)])
        }
    }

    @Test(arguments: ["a directory", "a file for writing", "the writing end of a pipe"])
    func `a read error is a failure, then the stream finishes; loops throw it and end`(of what: String) async throws {
        let pipe = RawPipe()
        defer { pipe.closeBoth() }
        let descriptor =
            switch what {
            case "a directory": open("/", O_RDONLY | O_CLOEXEC)
            case "a file for writing": open("/dev/null", O_WRONLY | O_CLOEXEC)
            // This would never be ready.
            default: dup(pipe.writing)
            }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let error = POSIXError(what == "a directory" ? .EISDIR : .EBADF)
        let pieces = await everything(in: handle.chunks(capacity: 0).results)
        #expect(pieces.map { $0.error as? POSIXError } == [error])
        let lines = await everything(in: handle.lines(capacity: 5).results)
        #expect(lines.map { $0.error as? POSIXError } == [error])
        var piecesOnDemand = handle.asyncChunks().makeAsyncIterator()
        await #expect(throws: error) { try await piecesOnDemand.next() }
        #expect(try await piecesOnDemand.next() == nil)
        await #expect(throws: error) { try await everything(in: handle.asyncLines()) }
    }

    @Test func `a pipe with a name ends when its last writer is gone`() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        #expect(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        let reader = FileHandle(fileDescriptor: open(path, O_RDONLY | O_NONBLOCK), closeOnDealloc: true)
        let writer = open(path, O_WRONLY)
        let lines = reader.lines(capacity: .max)
        put("one\ntwo", into: writer)
        await eventually { lines.count == 1 }
        close(writer)
        await eventually { lines.isFinished }
        #expect(try await everything(in: lines.values) == ["one", "two"])
    }

    @Test func `an input or output error, as of a broken disk, is passed on`() async throws {
        #if os(Linux)
        // Nothing is at the address 0.
        let memory = try #require(FileHandle(forReadingAtPath: "/proc/self/mem"))
        let pieces = await everything(in: memory.chunks(capacity: 0).results)
        #expect(pieces.map { $0.error as? POSIXError } == [POSIXError(.EIO)])
        #endif
    }

    #if !canImport(Darwin)
    // On Apple's systems, reading the descriptor of a closed handle ends the program.
    @Test func `a closed handle emits a failure, then the stream finishes`() async throws {
        let pipe = RawPipe()
        let handle = FileHandle(fileDescriptor: pipe.reading, closeOnDealloc: true)
        try handle.close()
        let stream = handle.chunks(capacity: 0)
        #expect(await everything(in: stream.results).map { $0.error as? POSIXError } == [POSIXError(.EBADF)])
        #expect(stream.isFinished)
        close(pipe.writing)
    }
    #endif

    @Test func `several loops share the pieces, and one that waits for its turn can be canceled`() async throws {
        let pipe = Pipe()
        let (chunks, heard) = (pipe.asyncChunks(chunkSize: 1), Log<UInt8>())
        let loops = (0..<3).map { _ in Task { for try await piece in chunks { heard.add(piece[0]) } } }
        loops[1].cancel()
        await #expect(throws: CancellationError.self) { try await loops[1].value }
        try pipe.fileHandleForWriting.write(contentsOf: Data(0..<200))
        try pipe.fileHandleForWriting.close()
        for loop in [loops[0], loops[2]] { try await loop.value }
        #expect(heard.all.sorted() == Array(0..<200))
    }

    @Test func `a piece, an error or the end that was read for a canceled wait goes to the next one`() async throws {
        let pipe = RawPipe()
        defer { pipe.closeBoth() }
        let reader = PullReader(try Descriptor(copying: pipe.reading), chunkSize: 8)
        // Without a waiter, as if the only one was canceled during the read.
        reader.pass(.success(Data("read".utf8)))
        #expect(try await reader.next() == Data("read".utf8))
        reader.pass(.failure(Oops.source))
        await #expect(throws: Oops.source) { try await reader.next() }
        reader.pass(.success(nil))
        #expect(try await reader.next() == nil)
        // The wait failed, not the read: the next one waits again.
        reader.pass(.failure(Oops.other), isRead: false)
        pipe.write("more")
        #expect(try await reader.next() == Data("more".utf8))
    }

    @Test func `an empty device finishes at once`() async throws {
        let null = try #require(FileHandle(forReadingAtPath: "/dev/null"))
        for handle in [null, FileHandle.nullDevice] {
            #expect(try await everything(in: handle.chunks(capacity: 0).values) == [])
        }
        #expect(try await everything(in: null.lines(capacity: 0).values) == [])
        #expect(try await everything(in: FileHandle.nullDevice.asyncLines()) == [])
    }

    @Test func `an endless device is read until the loop is left`() async throws {
        let zero = try #require(FileHandle(forReadingAtPath: "/dev/zero"))
        let stream = zero.chunks(capacity: 0, chunkSize: 10)
        for _ in 0..<3 {
            var count = 0
            for try await piece in stream.values(buffering: .oldest(10)) {
                #expect(piece == Data(count: 10))
                count += 1
                if count == 10 { break }
            }
        }
        let isStopped = await eventually {
            let before = try? zero.offset()
            return stream.core.subscriberCount == 0 && before == (try? zero.offset())
        }
        #expect(isStopped)
    }

    @Test func `generated files, such as those in /proc, are read too`() async throws {
        #if os(Linux)
        let file = try #require(FileHandle(forReadingAtPath: "/proc/self/status"))
        let lines = try await everything(in: file.lines(capacity: 0).values)
        #expect(lines.first?.hasPrefix("Name:") == true)
        #expect(lines.contains { $0.hasPrefix("SigBlk:") })
        #endif
    }

    @Test func `a huge chunk size needs no memory of that size`() async {
        // Out of memory ends the process.
        await #expect(processExitsWith: .success) {
            let content = pattern(1_000)
            try await withFile(content) { file in
                for size in [1 << 40, Int.max] {
                    try file.seek(toOffset: 0)
                    let pieces = try await everything(in: file.chunks(capacity: 0, chunkSize: size).values)
                    try file.seek(toOffset: 0)
                    let onDemand = try await everything(in: file.asyncChunks(chunkSize: size))
                    precondition(Data(joining: pieces) == content && Data(joining: onDemand) == content)
                }
            }
        }
    }

    @Test(arguments: ["chunks", "asyncChunks"])
    func `a chunk size of zero stops the program with a message`(name: String) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [name] in
            if name == "chunks" {
                _ = FileHandle.standardInput.chunks(capacity: 0, chunkSize: 0)
            } else {
                _ = FileHandle.standardInput.asyncChunks(chunkSize: 0)
            }
        }
        expect(result, toSay: "`FileHandle.\(name)` was given the chunk size 0", "at least 1 byte", "Pass 1")
    }
}

@Suite("Lines", .watchdog)
struct LineTests {
    static let texts: [(text: [UInt8], lines: [String])] = [
        ([], []),
        (Array("\n".utf8), [""]),
        (Array("\n\n".utf8), ["", ""]),
        (Array("a".utf8), ["a"]),
        (Array("a\n".utf8), ["a"]),
        (Array("a\n\nb".utf8), ["a", "", "b"]),
        (Array("a\r\nb\r\n".utf8), ["a", "b"]),
        (Array("\r\n\r\n".utf8), ["", ""]),
        (Array("a\r\r\nb".utf8), ["a\r", "b"]),
        (Array("a\rb\nc".utf8), ["a\rb", "c"]),
        (Array("a\r".utf8), ["a\r"]),
        (Array("a\n\r".utf8), ["a", "\r"]),
        (Array("Grüße\n🧵👩‍👩‍👧 日本\r\né".utf8), ["Grüße", "🧵👩‍👩‍👧 日本", "é"]),
        ([0xFF, 0x0A, 0x61, 0xC3, 0x0A, 0xA9, 0x0A, 0xF0, 0x9F], ["\u{FFFD}", "a\u{FFFD}", "\u{FFFD}", "\u{FFFD}"]),
        ([0x61, 0x00, 0x62, 0x0A, 0x00], ["a\u{0}b", "\u{0}"]),
        (Array("\u{FEFF}a\u{2028}b\u{85}c\u{0C}d\u{0B}e\n".utf8), ["\u{FEFF}a\u{2028}b\u{85}c\u{0C}d\u{0B}e"]),
    ]

    /// The lines as arrays of scalars, because two strings can be equal but consist of different ones.
    private func scalars(_ lines: [String]) -> [[Unicode.Scalar]] { lines.map { Array($0.unicodeScalars) } }

    @Test(arguments: texts.indices, [1, 2, 3, 4, 5, 7, 100])
    func `pieces of any size result in the same lines`(index: Int, size: Int) async throws {
        let (text, lines) = Self.texts[index]
        let promise = StreamPromise<Data>()
        // Slices, whose indices do not begin at 0.
        let data = Data([0x2D]) + text
        for start in stride(from: 1, to: data.count, by: size) {
            promise.success(data[start..<min(start + size, data.count)])
        }
        promise.finish()
        #expect(try await scalars(everything(in: promise.stream.lines().values)) == scalars(lines))
    }

    @Test func `a line that begins before a subscriber leaves is whole for the next subscriber`() async throws {
        let pipe = RawPipe()
        let lines = pipe.handle.lines(capacity: 0)
        pipe.write("one\nbegun")
        for try await line in lines.values where line == "one" { break }
        pipe.write(" and ended\n")
        pipe.closeWriting()
        #expect(try await everything(in: lines.values) == ["begun and ended"])
        close(pipe.reading)
    }

    @Test func `lines can be long, or many and short`() async throws {
        let long = String(repeating: "0123456789", count: 200_000)
        try await withFile(Data((long + "\n" + String(repeating: "\n", count: 50_000) + long).utf8)) { file in
            let lines = try await everything(in: file.lines(capacity: 0).values)
            #expect(lines.count == 50_002)
            #expect(lines.first == long && lines.last == long)
        }
    }

    @Test func `failures keep their position, and the rest at the end is the last line`() {
        let promise = StreamPromise<Data>()
        promise.success(Data("a\nb".utf8))
        promise.failure(Failure())
        promise.success(Data("c\nd".utf8))
        promise.finish()
        #expect(promise.stream.lines().state == ["a", .failure(Failure()), "bc", "d", .finish])
    }

    @Test(arguments: [true, false])
    func `a token of the lines or of the pieces cancels the lines, and the rest is not a line`(isOfPieces: Bool) {
        let (promise, token) = (StreamPromise<Data>(capacity: 0), CancelToken())
        let pieces = promise.stream.map(context: immediate, cancelToken: isOfPieces ? token : .none) { $0 }
        let heard = pieces.lines(cancelToken: isOfPieces ? .none : token).heard()
        promise.success(Data("a\nb".utf8))
        token.cancel()
        promise.success(Data("c\n".utf8))
        #expect(pieces.core.subscriberCount == 0)
        #expect(heard.all == ["a", .cancel])
    }

    @Test func `the end of the pieces does not finish lines that have another producer`() {
        let (promise, other) = (StreamPromise<Data>(), FutureStream<String>())
        let lines = promise.stream.lines()
        lines.completeWith(stream: other)
        promise.finish()
        other.success("a")
        other.finish()
        #expect(lines.state == ["a", .finish])
    }
}
