import Callbacks
import Porting

/// The files that use another library, whose calls a scan doesn't count.
public struct LibraryUse: Sendable, Hashable {
    /// The name of the library.
    public var name: String
    /// The number of files.
    public var fileCount: Int
    /// The modules that the files import, or the types that they name.
    public var names: [String]
    /// How to find its calls, or where to read how to replace them.
    public var advice: String
}

/// A library, and how to recognize its files.
private struct OtherLibrary {
    var name: String
    var advice: String
    var modules: Set<String> = []
    var types: Set<String> = []

    func use(in files: [FileFacts]) -> LibraryUse? {
        let found = files.map { modules.intersection($0.modules).union(types.intersection($0.types)) }
            .filter { !$0.isEmpty }
        guard !found.isEmpty else { return nil }
        let names = found.reduce(into: Set()) { $0.formUnion($1) }.sorted()
        return LibraryUse(name: name, fileCount: found.count, names: names, advice: advice)
    }

    static let all =
        Library.allCases.map {
            OtherLibrary(
                name: $0.name, advice: "`migrator from \($0.rawValue)` counts its calls, and replaces a part of them.",
                modules: $0.modules)
        } + [
            byHand("RxSwift", "FromRxSwift.md", ["RxSwift", "RxCocoa", "RxRelay"]),
            byHand("ReactiveSwift", "FromReactiveSwift.md", ["ReactiveSwift", "ReactiveCocoa"]),
            byHand("google/promises", "FromGooglePromises.md", ["Promises", "FBLPromises"]),
            byHand("Pill", "FromPill.md", ["Pill", "FutureX"]),
            OtherLibrary(name: "Hydra", advice: "The migrator doesn't replace its calls.", modules: ["Hydra"]),
            // Many files import its modules for other things than futures.
            OtherLibrary(
                name: "SwiftNIO",
                advice: "The migrator leaves them. FromSwiftNIO.md says which to keep, and how to convert others.",
                types: eventLoopTypes),
        ]

    private static func byHand(_ name: String, _ page: String, _ modules: Set<String>) -> OtherLibrary {
        OtherLibrary(
            name: name, advice: "The migrator doesn't replace its calls. \(page) says how to do so by hand.",
            modules: modules)
    }
}

/// The other libraries of some files, the most frequent first.
func otherLibraries(in files: [FileFacts]) -> [LibraryUse] {
    OtherLibrary.all.compactMap { $0.use(in: files) }.sorted { ($1.fileCount, $0.name) < ($0.fileCount, $1.name) }
}

extension LibraryUse {
    /// The line in the table.
    var line: String {
        let files = "\(Table.grouped(fileCount)) \(fileCount == 1 ? "file" : "files")"
        return "\(name): \(files) with \(names.map { "`\($0)`" }.joined(separator: ", ")). \(advice)"
    }
}
