import Foundation
import SimpleFutures
@testable import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Bodies that are loaded on demand", .watchdog) struct AsyncBodyTests {
    let test = TestSession()

    @Test func `a canceled wait leaves the piece to the next loop, and a canceled task gets no end`() async throws {
        let writer = BodyWriter("first")
        let server = HTTPServer { _ in .written(by: writer) }
        let (body, _) = try await test.session.asyncBody(for: server.request())
        var pieces = body.makeAsyncIterator()
        #expect(try await pieces.next() == Data("first".utf8))
        let waiting = Task { try await everything(in: body) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        writer.write("second")
        writer.finish()
        #expect(try await everything(in: body) == [Data("second".utf8)])
        // The end is available, but not to a canceled task.
        let canceled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await everything(in: body)
        }
        await #expect(throws: CancellationError.self) { try await canceled.value }
    }

    @Test func `dropping a body ends the transfer, unless its iterator is held`() async throws {
        let writer = BodyWriter("first")
        let server = HTTPServer { _ in .written(by: writer) }
        func firstPieces() async throws -> BodyChunks.Iterator {
            var pieces = try await test.session.asyncBody(for: server.request()).0.makeAsyncIterator()
            #expect(try await pieces.next() == Data("first".utf8))
            return pieces
        }
        do {
            var pieces = try await firstPieces()
            writer.write("second")
            #expect(try await pieces.next() == Data("second".utf8))
        }
        try await server.waitForClientClose()
    }

    @Test func `canceling the task before the head ends the transfer`() async throws {
        let server = HTTPServer { _ in .silence }
        let request = server.request()
        let task = Task { _ = try await test.session.asyncBody(for: request) }
        try await server.waitForRequest()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await server.waitForClientClose()
    }
}

@Suite("The waiting pieces of a body", .watchdog) struct SpoolTests {
    @Test(arguments: [0 as UInt64, 1, 2])
    func `bytes are removed in the order in which they were added`(seed: UInt64) throws {
        var random = Random(seed: seed)
        var spool = Spool()
        var (added, taken) = (0, 0)
        while added < 20_000_000 {
            let piece = HTTPPattern.bytes(at: added, atMost: 1 + random.below(30_000))
            try spool.append(piece)
            added += piece.count
            // It grows and shrinks in turn.
            for _ in 0..<random.below(added / 2_000_000 % 2 == 0 ? 2 : 6) {
                guard let piece = try spool.popFirst() else { break }
                #expect(!piece.isEmpty && HTTPPattern.matches(piece, at: taken))
                taken += piece.count
            }
        }
        while let piece = try spool.popFirst() {
            #expect(HTTPPattern.matches(piece, at: taken))
            taken += piece.count
        }
        #expect(taken == added)
    }

    // Coverage data that a process writes at its end may be larger than the limit, so it is removed again.

    @Test func `after a piece that could not be stored, later pieces are dropped, so that there is no gap`() async {
        await #expect(processExitsWith: .success) {
            let former = setFileSizeLimit(1_000_000)
            let (leases, session) = (Log<BodyTransfer.Lease>(), URLSession.shared)
            let transfer = BodyTransfer(cancelToken: .none) { head in
                if let lease = try? head.get().0 { leases.add(lease) }
            }
            let url = URL(string: "http://localhost:1/")!
            let task = session.dataTask(with: url)
            let response = URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
            transfer.urlSession(session, dataTask: task, didReceive: response) { _ in }
            await until { leases.count == 1 }
            var (sent, read) = (0, 0)
            var ends: Set = [0]
            func send() {
                let piece = HTTPPattern.bytes(at: sent, atMost: 30_000)
                transfer.urlSession(session, dataTask: task, didReceive: piece)
                sent += piece.count
                ends.insert(sent)
            }
            while sent < 3_000_000 { send() }
            // The transfer was canceled, but that is not why the body ends.
            transfer.urlSession(session, task: task, didCompleteWithError: URLError(.cancelled))
            do {
                while let piece = try await leases.all[0].next() {
                    precondition(HTTPPattern.matches(piece, at: read), "not the bytes at \(read)")
                    read += piece.count
                    // There is room again, but the next piece comes after the gap.
                    send()
                }
                preconditionFailure("it has ended after \(read)")
            } catch let error as POSIXError {
                // Not in the middle of a piece, which the file has taken in part.
                precondition(error.code == .EFBIG && read > 1_500_000 && ends.contains(read), "\(error) after \(read)")
            }
            _ = setFileSizeLimit(former)
        }
    }

    @Test func `the space of removed pieces is used again`() async {
        await #expect(processExitsWith: .success) {
            let former = setFileSizeLimit(1_000_000)
            var spool = Spool()
            for _ in 0..<5 {
                // A megabyte in memory, half a megabyte in the file.
                for _ in 0..<15 { try spool.append(Data(count: 100_000)) }
                while try spool.popFirst() != nil {}
            }
            _ = setFileSizeLimit(former)
        }
    }

    @Test func `the space of pieces that are read is free, though the reader never catches up`() async {
        await #expect(processExitsWith: .success) {
            let former = setFileSizeLimit(5_000_000)
            var spool = Spool()
            var (added, taken) = (0, 0)
            while added < 30_000_000 {
                let new = HTTPPattern.bytes(at: added, atMost: 30_000)
                try spool.append(new)
                // An empty piece changes nothing.
                try spool.append(Data())
                added += new.count
                while added - taken > 2_500_000, let piece = try spool.popFirst() {
                    precondition(HTTPPattern.matches(piece, at: taken))
                    taken += piece.count
                }
            }
            _ = setFileSizeLimit(former)
        }
    }
}

@Suite("The unread bytes of a body", .watchdog)
struct BodyBacklogTests {
    // `+` adds a piece, `-` removes one. In the answers, `!` suspends or resumes the task.
    @Test(arguments: [
        (1, "+-+-", "...."), (1_000_000, "+-+-", "...."), (65_537, "+++---", ".!...!"), (65_537, "++-+--", ".!...!"),
        (30_000, "++++----", "...!...!"),
    ])
    func `more than 64 KB besides the newest piece suspend the task, and it is resumed when all are read`(
        size: Int, steps: String, answers: String
    ) {
        var backlog = BodyBacklog()
        #expect(String(steps.map { ($0 == "+" ? backlog.add(size) : backlog.remove(size)) ? "!" : "." }) == answers)
    }
}

/// Limits the size of files, as a full disk would, and returns the former limit.
private func setFileSizeLimit(_ size: rlim_t) -> rlim_t {
    #if canImport(Glibc)
    let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
    let resource = RLIMIT_FSIZE
    #endif
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit()
    getrlimit(resource, &limit)
    defer {
        limit.rlim_cur = size
        setrlimit(resource, &limit)
    }
    return limit.rlim_cur
}
