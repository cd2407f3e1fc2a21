#if os(macOS) || os(Linux)
import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import SimpleFuturesInterop
@testable import TestSupport

func process(at path: String) -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    return process
}

func shell(_ script: String) -> Process {
    let process = process(at: "/bin/sh")
    process.arguments = ["-c", script]
    return process
}

extension Folder {
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
#endif

enum Effect: Equatable, Sendable {
    case standard, ignored, caught
    /// The handler of this file.
    case own

    private static let handler: @convention(c) (Int32) -> Void = { _ in }

    init(of signal: Int32) {
        var action = sigaction()
        sigaction(signal, nil, &action)
        #if canImport(Darwin)
        let current = action.__sigaction_u.__sa_handler
        #else
        let current = action.__sigaction_handler.sa_handler
        #endif
        switch unsafeBitCast(current, to: Int.self) {
        case unsafeBitCast(SIG_DFL, to: Int.self): self = .standard
        case unsafeBitCast(SIG_IGN, to: Int.self): self = .ignored
        case unsafeBitCast(Self.handler, to: Int.self): self = .own
        default: self = .caught
        }
    }

    func set(for signal: Int32) {
        switch self {
        case .standard: Foundation.signal(signal, SIG_DFL)
        case .ignored: Foundation.signal(signal, SIG_IGN)
        case .own: Foundation.signal(signal, Self.handler)
        case .caught: break
        }
    }
}
