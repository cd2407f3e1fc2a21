import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("File handles", .watchdog)
struct FileHandleTests {
    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 1_000_000], [1_000, 65_536, 10_000_000])
    func `a file is read in pieces up to the requested size, then ends`(size: Int, chunkSize: Int)
        async throws
    {
        let content = pattern(size)
        try await withFile(content) { file in
            let pieces = try await everything(in: file.chunks(capacity: 0, chunkSize: chunkSize).values)
            #expect(Data(joining: pieces) == content)
            #expect(pieces.allSatisfy { !$0.isEmpty && $0.count <= chunkSize })
        }
    }

    @Test func `a file is read from the handle's current offset`() async throws {
        try await withFile(Data("0123456789".utf8)) { file in
            try file.seek(toOffset: 4)
            #expect(try await everything(in: file.chunks(capacity: 0).values) == [Data("456789".utf8)])
        }
    }

    @Test func `reading begins with the first subscription, or at once with a replay buffer`() async throws {
        try await withFile(Data("text".utf8)) { file in
            let lazy = file.chunks(capacity: 0)
            #expect(try file.offset() == 0)
            let eager = file.chunks(capacity: 1)
            await eventually { eager.isFinished }
            #expect(try await everything(in: eager.values) == [Data("text".utf8)])
            try file.seek(toOffset: 0)
            #expect(try await everything(in: lazy.values) == [Data("text".utf8)])
        }
    }

    enum Unreadable: CaseIterable {
        case directory, fileForWriting, pipeForWriting

        func open() -> Int32 {
            switch self {
            case .directory: return Foundation.open("/", O_RDONLY | O_CLOEXEC)
            case .fileForWriting: return Foundation.open("/dev/null", O_WRONLY | O_CLOEXEC)
            case .pipeForWriting:
                let pipe = RawPipe()
                close(pipe.reading)
                return pipe.writing
            }
        }
    }

    @Test(arguments: Unreadable.allCases)
    func `a read error is a failure, then the stream finishes`(what: Unreadable) async throws {
        let handle = FileHandle(fileDescriptor: what.open(), closeOnDealloc: true)
        let code = what == .directory ? POSIXErrorCode.EISDIR : .EBADF
        let pieces = await everything(in: handle.chunks(capacity: 0).results)
        #expect(pieces.map { ($0.error as? POSIXError)?.code } == [code])
        let lines = await everything(in: handle.lines(capacity: 5).results)
        #expect(lines.map { ($0.error as? POSIXError)?.code } == [code])
    }

    #if !canImport(Darwin)
    // On Apple's systems, reading the descriptor of a closed handle ends the program.
    @Test func `a closed handle emits a failure, then the stream finishes`() async throws {
        let pipe = RawPipe()
        let handle = FileHandle(fileDescriptor: pipe.reading, closeOnDealloc: true)
        try handle.close()
        let stream = handle.chunks(capacity: 0)
        #expect(await everything(in: stream.results).map { ($0.error as? POSIXError)?.code } == [POSIXErrorCode.EBADF])
        #expect(stream.isFinished)
        close(pipe.writing)
    }
    #endif

    @Test func `an empty device finishes at once`() async throws {
        let null = try #require(FileHandle(forReadingAtPath: "/dev/null"))
        for handle in [null, FileHandle.nullDevice] {
            #expect(try await everything(in: handle.chunks(capacity: 0).values) == [])
        }
        #expect(try await everything(in: null.lines(capacity: 0).values) == [])
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

    @Test func `a loop that is too slow for its buffer ends with the number of lost elements`() async throws {
        try await withFile(Data(count: 100)) { file in
            let loop = file.chunks(capacity: 0, chunkSize: 1).subscription(buffering: .failing(10))
            await eventually { loop.droppedCount == 90 }
            var count = 0
            await #expect(throws: FuturesError.bufferOverflow(dropped: 90)) {
                for try await _ in loop { count += 1 }
            }
            #expect(count == 10)
        }
    }

    @Test func `a whole file can be transformed without storing it`() async throws {
        let content = pattern(500_000)
        try await withFile(content) { file in
            let counts = file.chunks(capacity: .max, chunkSize: 1_000).map { $0.count }
            let count = try await counts.values.reduce(0, +)
            #expect(count == content.count)
        }
    }

    @Test func `a chunk size of zero stops the program with a message`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = FileHandle.standardInput.chunks(capacity: 0, chunkSize: 0)
        }
        expect(result, toSay: "`FileHandle.chunks` was given the chunk size 0", "at least 1 byte", "Pass 1")
    }
}
