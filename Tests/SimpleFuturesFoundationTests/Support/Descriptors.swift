import Foundation
import SimpleFutures
@testable import TestSupport

/// Lets others run until something is the case; false if it is not so in five minutes.
@discardableResult
func eventually(within patience: Duration = .seconds(300), _ isSo: () -> Bool) async -> Bool {
    let deadline = ContinuousClock.now + patience
    var turn = 0
    while ContinuousClock.now < deadline {
        if isSo() { return true }
        turn += 1
        if turn < 100 { await Task.yield() } else { try? await Task.sleep(for: .milliseconds(1)) }
    }
    return isSo()
}

/// Every descriptor that is open.
func openDescriptors() -> [Int32] {
    #if os(Linux)
    // Including, for a moment, that of the directory itself.
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.compactMap { Int32($0) } ?? []
    return all.filter { fcntl($0, F_GETFD) >= 0 }
    #else
    return (0..<getdtablesize()).filter { fcntl($0, F_GETFD) >= 0 }
    #endif
}

/// Waits until at most so many more are open than before, and ends the process if that does not come.
///
/// For exit tests, as other tests open some, too; Dispatch and Foundation open up to three for a thread once and for all.
func expectDescriptors(since before: Int, atMost more: Int) async {
    let isFlat = await eventually { openDescriptors().count <= before + more }
    precondition(isFlat, "\(openDescriptors().count) are open, \(before) before")
}

/// How many descriptors are open for what this one is open for: for pipes, in both directions.
func copies(of descriptor: Int32) -> Int {
    var wanted = stat()
    guard fstat(descriptor, &wanted) == 0 else { return 0 }
    return openDescriptors().count {
        var info = stat()
        return fstat($0, &info) == 0 && info.st_ino == wanted.st_ino && info.st_dev == wanted.st_dev
    }
}

/// A pipe, with neither end in a handle that closes it.
struct RawPipe {
    let reading: Int32
    let writing: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        precondition(pipe(&ends) == 0)
        (reading, writing) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    var handle: FileHandle { FileHandle(fileDescriptor: reading, closeOnDealloc: false) }

    /// How much nobody has read.
    var unread: Int {
        var count: Int32 = 0
        #if canImport(Darwin)
        _ = ioctl(reading, UInt(0x4004_667F), &count)
        #else
        _ = ioctl(reading, UInt(FIONREAD), &count)
        #endif
        return Int(count)
    }

    func write(_ text: String) { put(text, into: writing) }

    func closeWriting() { close(writing) }

    func closeBoth() {
        close(reading)
        close(writing)
    }
}

func put(_ text: String, into descriptor: Int32) {
    let bytes = Array(text.utf8)
    precondition(write(descriptor, bytes, bytes.count) == bytes.count)
}

/// Gives a closure a file with some content, open for reading.
func withFile<Result>(_ content: Data, _ body: (FileHandle) async throws -> Result) async throws -> Result {
    let url = FileManager.default.temporaryDirectory.appending(path: "SimpleFutures-\(UUID().uuidString)")
    try content.write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    return try await body(FileHandle(forReadingFrom: url))
}

/// Bytes of which no two places look the same.
func pattern(_ count: Int) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }) }

extension Data {
    init<Pieces: Sequence>(joining pieces: Pieces) where Pieces.Element == Data {
        self.init()
        for piece in pieces { append(piece) }
    }
}

/// What Linux and Apple's systems declare as different types.
var streamSocket: Int32 {
    #if canImport(Darwin)
    SOCK_STREAM
    #else
    Int32(SOCK_STREAM.rawValue)
    #endif
}

/// Both sides of a terminal.
func openTerminal() -> (master: Int32, slave: Int32)? {
    #if canImport(Darwin)
    let master = posix_openpt(O_RDWR | O_NOCTTY)
    guard master >= 0, grantpt(master) == 0, unlockpt(master) == 0, let path = ptsname(master) else { return nil }
    let slave = open(path, O_RDWR | O_NOCTTY)
    #else
    // The functions that others have are not in the module.
    let (unlock, number): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
    let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (locked, index): (Int32, Int32) = (0, 0)
    guard master >= 0, ioctl(master, unlock, &locked) == 0, ioctl(master, number, &index) == 0 else { return nil }
    let slave = open("/dev/pts/\(index)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    #endif
    return slave >= 0 ? (master, slave) : nil
}

func everything<Elements: AsyncSequence>(in elements: Elements) async throws(Elements.Failure) -> [Elements.Element] {
    var all: [Elements.Element] = []
    for try await element in elements { all.append(element) }
    return all
}

/// The most memory that the process has had so far, in bytes; nil where that says nothing.
func peakMemory() -> Int {
    // A sanitizer keeps what was released, to see who uses it.
    guard dlsym(nil, "__asan_init") == nil, dlsym(nil, "__tsan_init") == nil else { return 0 }
    var usage = rusage()
    #if canImport(Darwin)
    getrusage(RUSAGE_SELF, &usage)
    return usage.ru_maxrss
    #else
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss * 1024
    #endif
}
