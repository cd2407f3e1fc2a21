#if os(macOS) || os(Linux)
import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import SimpleFuturesInterop
@testable import TestSupport

/// A process that runs a shell script.
func shell(_ script: String) -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", script]
    return process
}

/// A temporary folder for one test, which is deleted afterwards.
final class Folder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "SimpleFutures-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path }

    func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    /// Creates an executable file, and returns its path.
    ///
    /// A child writes it: a descriptor of this process could be inherited by another child that is being started, and
    /// would keep the system from running the file.
    func program(_ text: String, name: String) async throws -> String {
        let process = shell("cat > \"$1\" && chmod 755 \"$1\"")
        process.arguments? += ["sh", path(name)]
        _ = try await process.output(input: Data(text.utf8)).validate().value
        return path(name)
    }

    /// Creates a file, and returns its path.
    func file(_ text: String, name: String) throws -> String {
        try Data(text.utf8).write(to: url.appending(path: name))
        return path(name)
    }

    /// Creates a fifo that a child waits on: `cat` of it ends when it was opened for writing and closed.
    func fifo(_ name: String) -> String {
        precondition(mkfifo(path(name), 0o600) == 0)
        return path(name)
    }
}

/// Releases a child that waits on a fifo.
///
/// Waits until the child does.
func open(fifo path: String) async {
    await onThread {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        precondition(descriptor >= 0)
        close(descriptor)
    }
}

/// Waits for a number written into a fifo.
func number(fromFifo path: String) async -> Int32 {
    await onThread {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 20)
        let count = read(descriptor, &bytes, bytes.count)
        return Int32(String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n").first ?? "") ?? -1
    }
}

/// Whether there is such a process, as far as can be seen.
func isAlive(_ id: Int32) -> Bool {
    // In this order: a process that has ended may be collected at any moment, and then has no state.
    guard let state = status(of: id).first else { return kill(id, 0) == 0 }
    return state != "Z"
}

func isZombie(_ id: Int32) -> Bool { status(of: id).first == "Z" }

/// The state of a process and the following fields in `/proc`, beginning with the number of its parent; empty if there
/// is no such process, or no `/proc`.
private func status(of id: Int32) -> [Substring] {
    // Not with Foundation, which leaks a page when a process ends before it is read.
    let descriptor = open("/proc/\(id)/stat", O_RDONLY)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1_000)
    let count = read(descriptor, &bytes, bytes.count)
    let line = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    // Before it are its number and, in parentheses, its name.
    return line.split(separator: ")").last?.split(separator: " ") ?? []
}

#if os(Linux)
/// The children of this process, zombies included.
func children() -> [Int32] {
    let own = getpid()
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { Int32($0) } ?? []
    return all.filter { id in status(of: id).dropFirst().first.flatMap { Int32($0) } == own }
}

func threadCount() -> Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task"))?.count ?? 0 }
#endif

extension ProcessOutput {
    var status: Int32? { if case .exited(let status) = termination { status } else { nil } }
}
#endif
