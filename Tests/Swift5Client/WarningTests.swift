import Foundation
import Testing
@testable import TestSupport

@Suite("A Swift 5 client: what the compiler says", .compiler, .watchdog)
struct WarningTests {
    @Test func `it warns where a closure touches main-actor state, and nowhere else`() async throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("App")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "swift" }
        let marked = try files.flatMap { file in
            try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n").enumerated()
                .filter { _, line in line.hasSuffix("// warns: main-actor state") }
                .map { index, _ in "\(file.lastPathComponent):\(index + 1)" }
        }
        let diagnostics = try await Compiler.typeCheck(files)
        #expect(diagnostics.filter { $0.severity != "warning" }.map(\.description) == [])
        let warned = diagnostics.map { "\(URL(fileURLWithPath: $0.file).lastPathComponent):\($0.line)" }
        #expect(warned.sorted() == marked.sorted())
        #expect(warned.count == 11)
        #expect(diagnostics.allSatisfy { $0.message.contains("main actor-isolated") })
    }
}
