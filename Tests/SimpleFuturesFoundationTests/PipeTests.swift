import Dispatch
import Foundation
import SimpleFutures
@testable import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Pipes and sockets", .watchdog)
struct PipeTests {
    @Test func `pieces arrive in order, and the stream ends with the last writing end`() async throws {
        let pipe = Pipe()
        let stream = pipe.chunks(capacity: 0)
        let loop = Task { try await Data(joining: everything(in: stream.values)) }
        let second = dup(pipe.fileHandleForWriting.fileDescriptor)
        for number in 0..<50 {
            put("\(number) ", into: number % 2 == 0 ? second : pipe.fileHandleForWriting.fileDescriptor)
            if number % 10 == 0 { await Task.yield() }
        }
        try pipe.fileHandleForWriting.close()
        put("end", into: second)
        #expect(!stream.isFinished)
        close(second)
        #expect(try await loop.value == Data(((0..<50).map { "\($0) " }.joined() + "end").utf8))
        #expect(stream.isFinished)
    }

    @Test func `the cost of a message does not grow with the number of idle pipes`() async {
        // A thousand pipes need three thousand descriptors.
        guard getdtablesize() > 8_000 else { return }
        // In a separate process: other code here may use `select`, which supports only a thousand descriptors.
        await #expect(processExitsWith: .success) {
            await onThread {
                var ratios: [Double] = []
                repeat {
                    let alone = messages(beside: 1)
                    ratios.append(messages(beside: 1_000) / alone)
                } while ratios.count < 8 && ratios.last! > 3
                precondition(ratios.last! <= 3, "\(ratios)")
            }
        }
    }

    @Test func `a device that poll does not support is checked with select`() throws {
        let pipe = RawPipe()
        defer { pipe.closeBoth() }
        let (reading, writing) = (try Descriptor(copying: pipe.reading), try Descriptor(copying: pipe.writing))
        // Other tests may have taken all numbers that fit into a set.
        guard max(reading.number, writing.number) < 1_024 else { return }
        #expect(!reading.isReadyBySelect(for: .reading))
        #expect(writing.isReadyBySelect(for: .writing))
        pipe.write("a")
        #expect(reading.isReadyBySelect(for: .reading))
        // The number does not fit into the set, so a read has to be tried.
        let high = fcntl(pipe.reading, F_DUPFD_CLOEXEC, 1_024)
        if high >= 0 { #expect(Descriptor(owning: high).isReadyBySelect(for: .reading)) }
    }

    @Test func `two readers can wait for one descriptor, and either can leave`() async throws {
        let pipe = RawPipe()
        defer { pipe.closeBoth() }
        let (descriptor, queue) = (try Descriptor(copying: pipe.reading), DispatchQueue(label: "two"))
        let ready = Box<[Int]>([])
        let waiting = try (0..<3).map { number in
            try Poller.shared.whenReady(descriptor, for: .reading, on: queue) { ready.append(number) }
        }
        #expect(waiting[0].cancel())
        pipe.write("a")
        await eventually { ready.value.sorted() == [1, 2] }
        #expect(ready.value.sorted() == [1, 2])
        #expect(!waiting[1].cancel())
    }

    @Test func `the handle can be closed and its number reused`() async throws {
        let pipe = RawPipe()
        let handle = FileHandle(fileDescriptor: pipe.reading, closeOnDealloc: true)
        let stream = handle.chunks(capacity: 0)
        let loop = stream.subscription()
        pipe.write("a")
        await eventually { pipe.unread == 0 }
        try handle.close()
        // Most likely it has the same number.
        let other = RawPipe()
        defer { other.closeBoth() }
        other.write("other")
        pipe.write("b")
        pipe.closeWriting()
        #expect(try await Data(joining: everything(in: loop)) == Data("ab".utf8))
        #expect(other.unread == 5)
    }

    @Test func `a pipe has lines, also after its handle was released`() async throws {
        var pipe: Pipe? = Pipe()
        let writing = dup(pipe!.fileHandleForWriting.fileDescriptor)
        let lines = pipe!.lines(capacity: .max)
        pipe = nil
        put("one\ntwo\r\nthr", into: writing)
        await eventually { lines.count == 2 }
        put("ee", into: writing)
        close(writing)
        #expect(try await everything(in: lines.values) == ["one", "two", "three"])
    }

    @Test func `a canceled task gets no line, even if it was read already`() async throws {
        let pipe = Pipe()
        put("one\ntwo\n", into: pipe.fileHandleForWriting.fileDescriptor)
        try pipe.fileHandleForWriting.close()
        let lines = pipe.asyncLines()
        let task = Task { for try await _ in lines { withUnsafeCurrentTask { $0?.cancel() } } }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await everything(in: lines) == ["two"])
    }

    @Test func `the handle's own handler is unchanged`() {
        let pipe = Pipe()
        pipe.fileHandleForReading.readabilityHandler = { _ in }
        _ = pipe.chunks(capacity: 0).subscription()
        #expect(pipe.fileHandleForReading.readabilityHandler != nil)
        pipe.fileHandleForReading.readabilityHandler = nil
    }

    @Test func `after a loop is left, the next loop continues where it stopped`() async throws {
        let pipe = RawPipe()
        defer { pipe.closeBoth() }
        let stream = pipe.handle.chunks(capacity: 0)
        for number in 0..<Stress.rounds(200) {
            pipe.write("\(number)")
            var text = ""
            for try await piece in stream.values {
                text += String(decoding: piece, as: UTF8.self)
                if text == "\(number)" { break }
            }
        }
        #expect(copies(of: pipe.reading) == 3)
    }

    #if os(Linux)
    static let events = ["a", "ECONNRESET"]
    #else
    static let events = ["a"]
    #endif

    @Test(arguments: events)
    func `a piece or an error that was being read when its stream lost its subscribers goes to the next reader`(
        event: String
    ) throws {
        var sockets: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, streamSocket, 0, &sockets) == 0)
        // A side that closes with unread bytes resets the connection.
        put("a", into: sockets[event == "a" ? 1 : 0])
        close(sockets[1])
        let (descriptor, queue) = (Descriptor(owning: sockets[0]), DispatchQueue(label: "PipeTests"))
        let (unread, questions, come) = (Lock<ReadLoop.Event?>(nil), Box(0), Log<String>())
        // It is over between the second question, which comes before the read, and the one after it.
        let isOver = { @Sendable in
            questions.increment()
            return questions.value > 2
        }
        let first = ReadLoop(descriptor, chunkSize: 1, on: queue, unread: unread, isOver: isOver) { _ in
            Issue.record("a reader that is over has passed something on")
            return nil
        }
        first.start()
        let second = ReadLoop(descriptor, chunkSize: 1, on: queue, unread: unread) { event in
            switch event {
            case .bytes(let data): come.add(String(decoding: data, as: UTF8.self))
            case .failed(let error): come.add(error.code == .ECONNRESET ? "ECONNRESET" : "\(error)")
            case .end: come.add("end")
            }
            return nil
        }
        second.start()
        queue.sync {}
        #expect(come.all.first == event)
    }

    @Test func `callbacks on the immediate context delay the reading`() async throws {
        let pipe = RawPipe()
        defer { close(pipe.reading) }
        let (mayGoOn, count) = (DispatchSemaphore(value: 0), Lock(0))
        let stream = pipe.handle.chunks(capacity: 0, chunkSize: 1)
        stream.onSuccess(context: immediate) { _ in
            count.withLock { $0 += 1 }
            mayGoOn.wait()
        }
        pipe.write("0123456789")
        for read in 1...10 {
            await eventually { count.withLock { $0 } == read }
            #expect(pipe.unread == 10 - read)
            mayGoOn.signal()
        }
        pipe.closeWriting()
        #expect(await eventually { stream.isFinished })
    }

    @Test func `the bytes of many streams do not mix`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<50 {
                group.addTask {
                    let pipe = RawPipe()
                    let lines = pipe.handle.lines(capacity: 0).subscription()
                    let writer = Task.detached {
                        for number in 0..<100 {
                            pipe.write("\(index) \(number)\n")
                            await Task.yield()
                        }
                        pipe.closeWriting()
                    }
                    let read = try await everything(in: lines)
                    #expect(read == (0..<100).map { "\(index) \($0)" })
                    await writer.value
                    close(pipe.reading)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `the end of a socket finishes the stream, and a reset is a failure`() async throws {
        var sockets: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, streamSocket, 0, &sockets) == 0)
        let handle = FileHandle(fileDescriptor: sockets[0], closeOnDealloc: true)
        let loop = handle.chunks(capacity: 0).subscription()
        put("hello", into: sockets[1])
        close(sockets[1])
        #expect(try await everything(in: loop) == [Data("hello".utf8)])
        #if os(Linux)
        /// A side that closes with unread bytes resets the connection.
        func resetHandle(after text: String) -> FileHandle {
            #expect(socketpair(AF_UNIX, streamSocket, 0, &sockets) == 0)
            put("unread", into: sockets[0])
            put(text, into: sockets[1])
            close(sockets[1])
            return FileHandle(fileDescriptor: sockets[0], closeOnDealloc: true)
        }
        let results = await everything(in: resetHandle(after: "").chunks(capacity: 0).results)
        #expect(results.map { ($0.error as? POSIXError)?.code } == [POSIXErrorCode.ECONNRESET])
        let lines = await everything(in: resetHandle(after: "one\ntwo").lines(capacity: 0).results)
        #expect(lines.map(\.value) == ["one", "two", nil] && lines.last?.error is POSIXError)
        var iterator = resetHandle(after: "one\ntwo").asyncLines().makeAsyncIterator()
        for line in ["one", "two"] { #expect(try await iterator.next() == line) }
        await #expect(throws: POSIXError.self) { try await iterator.next() }
        #endif
    }

    @Test func `closing the other side of a terminal finishes the stream`() async throws {
        let (master, slave) = try #require(openTerminal())
        let handle = FileHandle(fileDescriptor: master, closeOnDealloc: true)
        let lines = handle.lines(capacity: 0)
        let loop = lines.subscription()
        put("one\ntwo", into: slave)
        close(slave)
        #expect(try await everything(in: loop) == ["one", "two"])
        #expect(lines.isFinished)
    }

    @Test func `a terminal is read after a line was typed, and a token ends the wait for more`() async throws {
        let (master, slave) = try #require(openTerminal())
        let handle = FileHandle(fileDescriptor: slave, closeOnDealloc: false)
        let token = CancelToken()
        var lines = handle.lines(capacity: 0, cancelToken: token).values.makeAsyncIterator()
        // Reading the unfinished line would block a thread, which would keep the descriptor.
        put("typed\nhalf", into: master)
        #expect(try await lines.next() == "typed")
        token.cancel()
        await #expect(throws: CancellationError.self) { try await lines.next() }
        #expect(await eventually { copies(of: slave) == 1 })
        close(slave)
        close(master)
    }
}

/// How long some messages through a pipe take, one after the other, while other pipes wait.
private func messages(beside count: Int) -> Double {
    let pipes = (0...count).map { _ in RawPipe() }
    defer { for pipe in pipes { pipe.closeBoth() } }
    let queue = DispatchQueue(label: "messages")
    let idle = pipes.dropFirst().map {
        try! Poller.shared.whenReady(Descriptor(copying: $0.reading), for: .reading, on: queue) {}
    }
    defer { for waiting in idle { waiting.cancel() } }
    let (descriptor, arrived) = (try! Descriptor(copying: pipes[0].reading), DispatchSemaphore(value: 0))
    let start = DispatchTime.now().uptimeNanoseconds
    for _ in 0..<200 {
        _ = try! Poller.shared.whenReady(descriptor, for: .reading, on: queue) { arrived.signal() }
        pipes[0].write("x")
        arrived.wait()
        _ = descriptor.read(upTo: 1)
    }
    return Double(DispatchTime.now().uptimeNanoseconds - start)
}
