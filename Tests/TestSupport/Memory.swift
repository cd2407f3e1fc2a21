import Foundation

/// What the process takes of the machine.
enum Memory {
    /// How many bytes of it are in memory, those of files left out; nil where that is not known, or says nothing.
    ///
    /// The pages are counted, which takes a moment: the counter in `/proc/self/statm` is off by megabytes.
    static var resident: Int? {
        // A sanitizer keeps what was released, to see who uses it.
        guard dlsym(nil, "__asan_init") == nil, dlsym(nil, "__tsan_init") == nil,
            let pages = try? FileHandle(forReadingAtPath: "/proc/self/smaps_rollup")?.readToEnd(),
            let line = String(decoding: pages, as: UTF8.self).split(separator: "\n").first(where: isAnonymous)
        else { return nil }
        return line.split(separator: " ").compactMap { Int($0) }.first.map { $0 << 10 }
    }

    /// Says what is wrong if the process has grown since; nil where that is not known.
    ///
    /// Prints it in any case.
    static func complaint(since before: Int?, about traffic: String) -> String? {
        guard let before, let after = resident else { return nil }
        let growth = after - before
        print(traffic, "have grown by", growth >> 10, "KiB")
        return growth < Stress.size(512 << 10, full: 4 << 20) ? nil : "it has grown by \(growth) bytes"
    }

    private static func isAnonymous(_ line: Substring) -> Bool { line.hasPrefix("Anonymous:") }
}
