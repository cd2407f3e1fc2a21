import Foundation

/// The memory of the process.
enum Memory {
    /// How many bytes are in memory, without mapped files; nil if that is unknown or meaningless.
    ///
    /// Counts pages, which takes a moment: the counter in `/proc/self/statm` is off by megabytes.
    static var resident: Int? {
        // A sanitizer keeps released memory, to detect uses of it.
        guard dlsym(nil, "__asan_init") == nil, dlsym(nil, "__tsan_init") == nil,
            let pages = try? FileHandle(forReadingAtPath: "/proc/self/smaps_rollup")?.readToEnd(),
            let line = String(decoding: pages, as: UTF8.self).split(separator: "\n").first(where: isAnonymous)
        else { return nil }
        return line.split(separator: " ").compactMap { Int($0) }.first.map { $0 << 10 }
    }

    /// Returns a message if the process has grown since; nil if not, or if that is unknown.
    ///
    /// Always prints the figures.
    ///
    /// - Parameter limit: The growth that is allowed without stress, in KiB.
    static func complaint(since before: Int?, about traffic: String, limit: Int) -> String? {
        guard let before, let after = resident else { return nil }
        let growth = after - before
        print(traffic, "have grown by", growth >> 10, "KiB")
        return growth < Stress.size(limit << 10, full: 4 << 20) ? nil : "it has grown by \(growth) bytes"
    }

    private static func isAnonymous(_ line: Substring) -> Bool { line.hasPrefix("Anonymous:") }
}
