import Foundation
import SimpleFutures
@testable import TestSupport

/// Lets other tasks run until a condition is true.
///
/// Returns false if it is not true after five minutes.
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

func openDescriptors() -> [Int32] {
    #if os(Linux)
    // Includes the descriptor that reads the directory.
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.compactMap { Int32($0) } ?? []
    return all.filter { fcntl($0, F_GETFD) >= 0 }
    #else
    return (0..<getdtablesize()).filter { fcntl($0, F_GETFD) >= 0 }
    #endif
}

/// Waits until at most `more` additional descriptors are open, and ends the process if that does not happen.
///
/// For exit tests, because other tests open descriptors too; Dispatch and Foundation open up to three per thread
/// permanently.
func expectDescriptors(since before: Int, atMost more: Int) async {
    let isFlat = await eventually { openDescriptors().count <= before + more }
    precondition(isFlat, "\(openDescriptors().count) are open, \(before) before")
}

/// How many descriptors refer to the same open file as this one; for pipes, in both directions.
func copies(of descriptor: Int32) -> Int {
    var wanted = stat()
    guard fstat(descriptor, &wanted) == 0 else { return 0 }
    return openDescriptors().count {
        var info = stat()
        return fstat($0, &info) == 0 && info.st_ino == wanted.st_ino && info.st_dev == wanted.st_dev
    }
}

/// A pipe whose ends are not in handles that close them.
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

/// A temporary folder for one test, which is deleted afterwards.
final class Folder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "SimpleFutures-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? [] }

    func path(_ name: String) -> String { url.appending(path: name).path }

    func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    /// Creates a file, and returns its path.
    func file(_ content: Data, name: String) throws -> String {
        try content.write(to: url.appending(path: name))
        return path(name)
    }
}

/// Passes a file with the given content, open for reading, to a closure.
func withFile<Result>(_ content: Data, _ body: (FileHandle) async throws -> Result) async throws -> Result {
    let folder = try Folder()
    let path = try folder.file(content, name: "file")
    return try await body(FileHandle(forReadingFrom: URL(fileURLWithPath: path)))
}

/// Bytes in which no two positions look the same.
func pattern(_ count: Int) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }) }

extension Data {
    init<Pieces: Sequence>(joining pieces: Pieces) where Pieces.Element == Data {
        self.init()
        for piece in pieces { append(piece) }
    }
}

/// A constant that has different types on Linux and Apple's systems.
var streamSocket: Int32 {
    #if canImport(Darwin)
    SOCK_STREAM
    #else
    Int32(SOCK_STREAM.rawValue)
    #endif
}

func openTerminal() -> (master: Int32, slave: Int32)? {
    #if canImport(Darwin)
    let master = posix_openpt(O_RDWR | O_NOCTTY)
    guard master >= 0, grantpt(master) == 0, unlockpt(master) == 0, let path = ptsname(master) else { return nil }
    let slave = open(path, O_RDWR | O_NOCTTY)
    #else
    // The usual functions for this are not in the module.
    let (unlock, number): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
    let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (locked, index): (Int32, Int32) = (0, 0)
    guard master >= 0, ioctl(master, unlock, &locked) == 0, ioctl(master, number, &index) == 0 else { return nil }
    let slave = open("/dev/pts/\(index)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    #endif
    return slave >= 0 ? (master, slave) : nil
}

/// Ends the process if a closure needs more memory; for exit tests.
func expectMemory(atMost limit: Int, _ body: () async throws -> Void) async rethrows {
    let before = peakMemory()
    try await body()
    let needed = peakMemory() - before
    precondition(needed < limit, "\(needed) bytes were needed")
}

/// The highest memory use of the process so far, in bytes; 0 if the value is meaningless.
private func peakMemory() -> Int {
    // A sanitizer keeps released memory, to detect uses of it.
    guard dlsym(nil, "__asan_init") == nil, dlsym(nil, "__tsan_init") == nil else { return 0 }
    #if canImport(Darwin)
    var usage = rusage()
    getrusage(RUSAGE_SELF, &usage)
    return usage.ru_maxrss
    #else
    // Not `getrusage`: it counts the process that has started this one.
    let file = FileHandle(forReadingAtPath: "/proc/self/status")
    let lines = String(decoding: (try? file?.readToEnd()) ?? Data(), as: UTF8.self).split(separator: "\n")
    let words = lines.first { $0.hasPrefix("VmHWM:") }?.split { $0.isWhitespace } ?? []
    return (words.count > 1 ? Int(words[1]) ?? 0 : 0) << 10
    #endif
}

/// Waits until all bytes of a waiting body but a few megabytes are in its files.
///
/// Otherwise a session on Linux keeps what its delegate has not taken, for example because the disk is busy.
func waitUntilStored(_ sent: Int) {
    #if os(Linux)
    // Once in a megabyte is enough.
    guard sent % 1_000_000 < 40_000 else { return }
    var pauses = 0
    while sent - storedBytes() > 8_000_000 {
        precondition(pauses < 60_000, "\(storedBytes()) of \(sent) bytes were stored")
        pauses += 1
        usleep(1_000)
    }
    #endif
}

/// The number of bytes in this process's open files for waiting bodies.
private func storedBytes() -> Int {
    let folder = "/proc/self/fd/"
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).reduce(0) { sum, name in
        var information = stat()
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + name)
        guard target?.contains("/SimpleFutures.") == true, stat(folder + name, &information) == 0 else { return sum }
        return sum + Int(information.st_size)
    }
}
