import Foundation
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

/// Runs the code blocks of README.md, Migration.md and the documentation's pages.
///
/// The build of this target shows that they compile, and so do the examples in doc comments.
@Suite(.watchdog)
struct `The documentation` {
    @Test
    func `has not changed since its code blocks were extracted`() throws {
        let root = URL(fileURLWithPath: #filePath).appending(path: "../../..").standardized
        for (page, checksum) in checksums {
            let text = try String(contentsOf: root.appending(path: page), encoding: .utf8)
            let now: UInt64 = text.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) }
            #expect(now == checksum, "\(page) has changed: build with `--disable-build-manifest-caching`")
        }
    }

    @Test
    func `has examples that claim an output`() {
        #expect(examples.count >= 15)
    }

    @Test
    func `has examples in doc comments`() {
        #expect(commentExamples >= 150)
    }

    @Test(arguments: examples)
    func `prints what it claims, in the order of its lines`(_ example: Example) async throws {
        let output = Output(claimed: example.claims)
        try await example.run(output)
        // A missing line is not awaited forever: the comparison reports it.
        _ = await output.isComplete.timeout(.seconds(Watchdog.patience > 0 ? Watchdog.patience / 10 : 3600)).outcome
        // The main queue prints its remaining lines before this.
        await MainActor.run {}
        #expect(output.printed == example.claims)
    }
}
