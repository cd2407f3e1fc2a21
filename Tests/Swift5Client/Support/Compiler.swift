import Foundation
import Testing

/// Runs the Swift compiler on sources that use the modules of this build.
enum Compiler {
    /// Type-checks files together as one module, with default options otherwise.
    ///
    /// - Parameters:
    ///   - mode: The language mode and related options.
    ///   - legacy: The source of a module in Swift 5 mode that the files may import as `Legacy`.
    /// - Returns: The compiler's diagnostics.
    static func typeCheck(
        _ files: [URL], mode: [String] = ["5"], legacy: String? = nil
    ) async throws -> [Diagnostic] {
        try await withTemporaryDirectory { directory in
            if let legacy {
                let file = directory.appendingPathComponent("Legacy.swift")
                try Data(legacy.utf8).write(to: file)
                let (status, output) = try await run(
                    ["-emit-module", "-swift-version", "5", "-parse-as-library", "-module-name", "Legacy", file.path],
                    in: directory)
                guard status == 0 else { throw Failure(output: output) }
            }
            // In a text format that shows where fix-its apply.
            let (status, output) = try await run(
                ["-typecheck", "-swift-version"] + mode + ["-parse-as-library", "-module-name", "Client"]
                    + ["-whole-module-optimization", "-diagnostic-style", "llvm", "-no-color-diagnostics"]
                    + ["-I", directory.path] + searchPaths + files.map(\.path),
                in: directory)
            let diagnostics = Diagnostic.read(from: output)
            guard status == 0 || diagnostics.contains(where: { $0.severity == "error" }) else {
                throw Failure(output: output)
            }
            return diagnostics
        }
    }

    /// Type-checks a text as a separate file.
    static func typeCheck(
        _ source: String, mode: [String] = ["5"], legacy: String? = nil
    ) async throws -> [Diagnostic] {
        try await withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("Source.swift")
            try Data(source.utf8).write(to: file)
            return try await typeCheck([file], mode: mode, legacy: legacy)
        }
    }

    /// The compiler failed before it checked anything.
    struct Failure: Error {
        let output: String
    }
}

// MARK: Finding the compiler

extension Compiler {
    /// The reason why the compiler cannot be used here, or nil if it can.
    static var obstacle: String? {
        #if os(macOS) || os(Linux)
        // Its diagnostics do not depend on the sanitizer, which would report leaks of Foundation's Process.
        if dlsym(nil, "__asan_init") != nil { return "The address sanitizer watches." }
        if executable == nil { return "There is no swiftc, neither in SWIFT_EXEC nor in PATH." }
        return products == nil ? "There are no modules beside the test bundle." : nil
        #else
        return "No compiler runs on this platform."
        #endif
    }

    private static let executable: URL? = {
        let environment = ProcessInfo.processInfo.environment
        let folders = environment["PATH", default: ""].split(separator: ":")
        let candidates = [environment["SWIFT_EXEC"]].compactMap { $0 } + folders.map { "\($0)/swiftc" }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0) }.map { URL(fileURLWithPath: $0) }
    }()

    /// The folder of the build's products, above the test bundle.
    ///
    /// It belongs to this build, whatever its scratch path, configuration and sanitizer.
    private static let products: URL? = {
        var folder = Bundle(for: BundleMarker.self).bundleURL
        while folder.path != "/" {
            if moduleFolder(in: folder) != nil { return folder }
            folder.deleteLastPathComponent()
        }
        return nil
    }()

    /// SwiftPM has a folder for the modules of a build, Xcode has none.
    private static func moduleFolder(in products: URL) -> URL? {
        [products.appendingPathComponent("Modules"), products].first {
            FileManager.default.fileExists(atPath: $0.appendingPathComponent("SimpleFutures.swiftmodule").path)
        }
    }

    private static var searchPaths: [String] {
        guard let products, let modules = moduleFolder(in: products) else { return [] }
        let cache = products.appendingPathComponent("ModuleCache").path
        // Modules of the system that the build has compiled need not be compiled again.
        let cacheIsThere = FileManager.default.isWritableFile(atPath: cache)
        return ["-I", modules.path, "-I", header.path] + (cacheIsThere ? ["-module-cache-path", cache] : [])
    }

    /// The folder of the C module that the library imports.
    private static let header = URL(fileURLWithPath: #filePath)
        .appendingPathComponent("../../../../Sources/CSimpleFutures/include").standardized

    private final class BundleMarker {}
}

extension Trait where Self == ConditionTrait {
    /// For tests that run the compiler.
    static var compiler: Self {
        .enabled(if: Compiler.obstacle == nil, Comment(rawValue: Compiler.obstacle ?? "There is a compiler."))
    }
}

// MARK: Running the compiler

extension Compiler {
    /// Runs the compiler in a folder, and waits for its end.
    private static func run(_ arguments: [String], in directory: URL) async throws -> (status: Int32, output: String) {
        #if os(macOS) || os(Linux)
        // To a file, because a pipe would have to be drained.
        let file = directory.appendingPathComponent("output")
        try Data().write(to: file)
        let output = try FileHandle(forWritingTo: file)
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.currentDirectoryURL = directory
        process.standardOutput = output
        process.standardError = output
        let status = try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Int32, Error>) in
            process.terminationHandler = { ended.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { ended.resume(throwing: error) }
        }
        return (status, try String(contentsOf: file, encoding: .utf8))
        #else
        throw Failure(output: "No compiler runs on this platform.")
        #endif
    }

    private static func withTemporaryDirectory<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        return try await body(directory)
    }
}
