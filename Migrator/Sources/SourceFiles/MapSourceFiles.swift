import Foundation

/// The result of `mapSourceFiles`.
public struct MappedFiles<Output: Sendable>: Sendable {
    /// One for each file that could be read and parsed, in the order of the paths.
    public var outputs: [Output]
    /// The files that could not be read or parsed, in the order of the paths.
    public var problems: [SourceFileProblem]
}

/// Reads and parses files and runs a closure for each, on all cores.
///
/// A tree lives while its closure runs. So there are as many trees in memory as there are cores, unless the closure
/// returns nodes of them.
///
/// - Parameters:
///   - paths: The files, as `findSourceFiles` finds them.
///   - progress: Runs after each file with the number of files that are done, on any thread.
///   - transform: Runs once for each file, on any thread.
/// - Returns: The results of the closure, in the order of the paths, and the files that could not be read or parsed.
public func mapSourceFiles<Output: Sendable>(
    _ paths: [String], progress: (@Sendable (Int) -> Void)? = nil,
    _ transform: @escaping @Sendable (SourceFile) -> Output
) -> MappedFiles<Output> {
    let results = Results<Output>(count: paths.count)
    // Threads with a large stack: deeply nested expressions are parsed and visited by recursion.
    let threads = (0..<min(ProcessInfo.processInfo.activeProcessorCount, paths.count)).map { _ in
        DispatchSemaphore(value: 0)
    }
    for ended in threads {
        let thread = Thread {
            while let index = results.next() {
                let result = readSourceFile(paths[index]).map(transform)
                let done = results.set(result, at: index)
                progress?(done)
            }
            ended.signal()
        }
        thread.stackSize = 64 << 20
        thread.start()
    }
    for ended in threads { ended.wait() }
    return results.mapped
}

private final class Results<Output: Sendable>: @unchecked Sendable {
    // The lock protects them all.
    private var results: [Result<Output, SourceFileProblem>?]
    private var begun = 0
    private var done = 0
    private let lock = NSLock()

    init(count: Int) { results = Array(repeating: nil, count: count) }

    /// The next file for a thread.
    func next() -> Int? {
        lock.withLock {
            guard begun < results.count else { return nil }
            begun += 1
            return begun - 1
        }
    }

    func set(_ result: Result<Output, SourceFileProblem>, at index: Int) -> Int {
        lock.withLock {
            results[index] = result
            done += 1
            return done
        }
    }

    var mapped: MappedFiles<Output> {
        var mapped = MappedFiles<Output>(outputs: [], problems: [])
        for result in results {
            switch result {
            case .success(let output)?: mapped.outputs.append(output)
            case .failure(let problem)?: mapped.problems.append(problem)
            case nil: break
            }
        }
        return mapped
    }
}
