import Porting
import SourceFiles

/// The text of a file after the rewrites, without its first line, which imports the library.
func ported(_ text: String, from library: Library) -> String {
    let module = "import \(library.name)\n"
    let after = port(text, from: library)?.after ?? ""
    return String(after.drop { $0 != "\n" }.dropFirst()).replacing(module, with: "")
}

func port(_ text: String, from library: Library) -> PortedFile? {
    Porter(from: library).port(SourceFile(path: "File.swift", text: "import \(library.name)\n" + text))
}

/// The calls that are left, by what they are.
func left(_ text: String, from library: Library) -> [String] {
    (port(text, from: library)?.calls ?? []).filter { if case .left = $0.outcome { true } else { false } }
        .map { $0.row.theirs.filter { $0 != "`" } }
}
