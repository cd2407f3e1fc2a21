import Foundation

/// The limits that every stage obeys.
struct Limits: Sendable {
    /// How many files can be in flight at once.
    var jobs = ProcessInfo.processInfo.activeProcessorCount
    /// How long one file can take.
    var timeout = Duration.seconds(60)
    /// How many bytes are read at once.
    var chunkSize = 64 * 1024
    /// The program that computes checksums.
    var checksumProgram = "/usr/bin/cksum"

    /// Fewer jobs if the process may not open enough files: one for the file, and some for the pipes of the child.
    func withinDescriptors() -> Limits {
        let available = sysconf(Int32(_SC_OPEN_MAX))
        guard available > 0 else { return self }
        var limits = self
        limits.jobs = min(jobs, max(1, (available - 32) / 8))
        return limits
    }
}
