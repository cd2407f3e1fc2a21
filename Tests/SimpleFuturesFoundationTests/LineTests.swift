import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

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

    @Test func `the bytes of a line or a character can arrive one by one`() async throws {
        let pipe = RawPipe()
        defer { close(pipe.reading) }
        let lines = pipe.handle.lines(capacity: 0)
        let loop = Task { try await everything(in: lines.values) }
        for byte in "é\r\n日\nend".utf8 {
            var byte = byte
            #expect(write(pipe.writing, &byte, 1) == 1)
            await eventually { pipe.unread == 0 }
        }
        pipe.closeWriting()
        #expect(try await loop.value == ["é", "日", "end"])
    }

    @Test func `lines can be long, or many and short`() async throws {
        let long = String(repeating: "0123456789", count: 1_000_000)
        try await withFile(Data((long + "\n" + String(repeating: "\n", count: 50_000) + long).utf8)) { file in
            let lines = try await everything(in: file.lines(capacity: 0).values)
            #expect(lines.count == 50_002)
            #expect(lines.first == long && lines.last == long)
        }
    }

    @Test func `failures keep their position, and the rest at the end is the last line`() async throws {
        let promise = StreamPromise<Data>()
        promise.success(Data("a\nb".utf8))
        promise.failure(Failure())
        promise.success(Data("c\nd".utf8))
        promise.finish()
        let results = await everything(in: promise.stream.lines().results)
        #expect(results.map { $0.value } == ["a", nil, "bc", "d"])
    }

    @Test func `a token unsubscribes the lines from the pieces`() async throws {
        let promise = StreamPromise<Data>(capacity: 0)
        let token = CancelToken()
        let lines = promise.stream.lines(cancelToken: token)
        let seen = lines.subscription()
        promise.success(Data("a\nb".utf8))
        token.cancel()
        promise.success(Data("c\n".utf8))
        #expect(lines.isCancelled)
        #expect(promise.stream.core.subscriberCount == 0)
        var values: [String] = []
        await #expect(throws: CancellationError.self) {
            for try await line in seen { values.append(line) }
        }
        #expect(values == ["a"])
    }

    @Test func `canceling a stream cancels its lines, and the rest is not a line`() async throws {
        let promise = StreamPromise<Data>()
        let token = CancelToken()
        let lines = promise.stream.map(context: ImmediateContext(), cancelToken: token) { $0 }.lines()
        promise.success(Data("a\nb".utf8))
        token.cancel()
        #expect(lines.isCancelled)
        #expect(await everything(in: lines.results).map { $0.value } == ["a", nil])
    }
}
