import Porting
import SourceFiles
import Testing

/// The text of a file after the rewrites, without its first line, which imports the library.
func ported(_ text: String, from library: Library) -> String {
    let module = "import \(library.name)\n"
    let after = port(text, from: library)?.after ?? ""
    return String(after.drop { $0 != "\n" }.dropFirst()).replacing(module, with: "")
}

/// The file after the rewrites.
func port(_ text: String, from library: Library) -> PortedFile? {
    let files = [SourceFile(path: "File.swift", text: "import \(library.name)\n" + text)]
    _ = port(files, by: Porter(from: library, assumesImport: true))
    return port(files, by: Porter(from: library)).first
}

/// The files of a run, whose output another run leaves as it is.
func port(_ files: [SourceFile], by porter: Porter) -> [PortedFile] {
    let ported = run(porter, files)
    let texts = Dictionary(uniqueKeysWithValues: ported.map { ($0.path, $0.after) })
    for twice in run(porter, files.map { SourceFile(path: $0.path, text: texts[$0.path] ?? $0.text) }) {
        #expect(twice.after == twice.before, "A second run changes nothing")
    }
    return ported
}

private func run(_ porter: Porter, _ files: [SourceFile]) -> [PortedFile] {
    let context = PortContext(files.map { porter.facts($0) })
    return files.compactMap { porter.port($0, in: context) }
}

/// The calls that are left, by what they are.
func left(_ text: String, from library: Library) -> [String] {
    (port(text, from: library)?.calls ?? []).filter { if case .left = $0.outcome { true } else { false } }
        .map { $0.row.theirs.filter { $0 != "`" } }
}
