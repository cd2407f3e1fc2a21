import Callbacks
import Foundation
import SourceFiles
import Testing

@testable import Scanning

@Suite struct `Other libraries` {
    private func lines(_ texts: String...) -> [String] {
        Inventory(texts.map { FileFacts(SourceFile(path: "File.swift", text: $0)) }).libraries.map(\.line)
    }

    @Test func `Counts the files that import a library, the most frequent first`() {
        #expect(
            lines(
                "import RxSwift\nimport RxCocoa", "import class RxSwift.Observable", "@preconcurrency import Hydra",
                "#if canImport(ReactiveSwift)\nimport ReactiveSwift\n#endif")
                == [
                    "RxSwift: 2 files with `RxCocoa`, `RxSwift`. The migrator doesn't replace its calls. "
                        + "FromRxSwift.md says how to do so by hand.",
                    "Hydra: 1 file with `Hydra`. The migrator doesn't replace its calls.",
                    "ReactiveSwift: 1 file with `ReactiveSwift`. The migrator doesn't replace its calls. "
                        + "FromReactiveSwift.md says how to do so by hand.",
                ])
    }

    @Test(arguments: ["promisekit", "brightfutures", "combine"])
    func `A library that the migrator knows has a command`(_ name: String) throws {
        let module = ["promisekit": "PromiseKit", "brightfutures": "BrightFutures", "combine": "Combine"][name] ?? ""
        #expect(try #require(lines("import \(module)").first).contains("`migrator from \(name)` counts its calls"))
    }

    @Test(arguments: [
        "import Vapor\nfunc load() -> EventLoopFuture<Int> { x }", "let a: NIOCore.EventLoopFuture<Int>",
        "func f() { EventLoopFuture.andAllSucceed([]) }", "typealias Reply = EventLoopFuture<Int>",
    ])
    func `Code of SwiftNIO is found by the types of its futures`(_ text: String) {
        #expect(lines(text).map { String($0.prefix { $0 != "." }) } == ["SwiftNIO: 1 file with `EventLoopFuture`"])
    }

    @Test(arguments: [
        "import NIOCore\nlet a: ByteBuffer", "// import RxSwift\nlet a = \"EventLoopFuture\"", "import Foundation",
        "#if canImport(RxSwift)\n#endif", "import Observable\nlet a: Observable<Int>",
    ])
    func `Other code is not taken for a library's`(_ text: String) {
        #expect(lines(text) == [])
    }

    @Test func `The table names the libraries before the line of progress`() {
        let table = inventory("import RxSwift").table()
        #expect(table.hasPrefix("Other libraries, whose calls this scan leaves out"))
        #expect(table.contains("  RxSwift: 1 file with `RxSwift`."))
        #expect(table.hasSuffix("\n\n0 of 0 wrapped, 0 awaited\n"))
        #expect(!inventory("import Foundation").table().contains("libraries"))
    }

    @Test func `A page that is named exists`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
            .appending(path: "Sources/SimpleFuturesInterop/SimpleFuturesInterop.docc")
        let uses = inventory(
            "import RxSwift\nimport ReactiveSwift\nimport Promises\nimport Pill\nlet a: EventLoopPromise<Int>"
        ).libraries
        let pages = uses.compactMap { $0.advice.firstMatch(of: /From\w+\.md/).map { String($0.output) } }
        #expect(pages.count == 5)
        for page in pages { #expect(FileManager.default.fileExists(atPath: folder.appending(path: page).path)) }
    }
}
