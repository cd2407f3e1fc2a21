import Foundation

/// Something that the compiler has said of a file.
struct Diagnostic: CustomStringConvertible {
    enum Severity: Int {
        case ignored, note, warning, error, fatal, remark
    }

    /// Bytes of the file that the compiler would have replaced.
    struct FixIt: Hashable {
        let range: Range<Int>
        let text: String
    }

    let severity: Severity
    let file: String
    let line: Int
    let message: String
    fileprivate(set) var fixIts: [FixIt] = []
    fileprivate(set) var notes: [Diagnostic] = []

    /// What an editor applies when it is told to fix it: its own fix-its, or those of the first note that has any.
    var remedy: [FixIt] {
        fixIts.isEmpty ? notes.first { !$0.fixIts.isEmpty }?.fixIts ?? [] : fixIts
    }

    var description: String { "\(file):\(line): \(severity): \(message)" }
}

extension Diagnostic {
    /// Reads what the compiler has written to its `-serialize-diagnostics-path`.
    ///
    /// The format: clang/Frontend/SerializedDiagnostics.h of LLVM.
    static func read(from file: URL) throws -> [Diagnostic] {
        guard var stream = Bitstream(Array(try Data(contentsOf: file)), magic: "DIAG") else {
            throw CocoaError(.fileReadCorruptFile)
        }
        var files: [Int: String] = [:]
        var done: [Diagnostic] = []
        // One for each block that has been entered; those of notes lie inside the one that they belong to.
        var open: [Diagnostic?] = []
        while let element = stream.next() {
            switch element {
            case .enterBlock: open.append(nil)
            case .endBlock:
                guard let diagnostic = open.removeLast() else { continue }
                if let last = open.indices.last, open[last] != nil {
                    open[last]?.notes.append(diagnostic)
                } else {
                    done.append(diagnostic)
                }
            case .record(code: 2, let fields, let blob):
                open[open.count - 1] = Diagnostic(
                    severity: Severity(rawValue: fields[0]) ?? .remark, file: files[fields[1]] ?? "", line: fields[2],
                    message: String(decoding: blob, as: UTF8.self))
            case .record(code: 6, let fields, let blob): files[fields[0]] = String(decoding: blob, as: UTF8.self)
            case .record(code: 7, let fields, let blob):
                open[open.count - 1]?.fixIts.append(
                    FixIt(range: fields[3]..<fields[7], text: String(decoding: blob, as: UTF8.self)))
            case .record: break
            }
        }
        return done
    }
}

extension String {
    /// The text with the fix-its applied, each once.
    func applying(_ fixIts: [Diagnostic.FixIt]) -> String {
        var bytes = Array(utf8)
        for fixIt in Set(fixIts).sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            bytes.replaceSubrange(fixIt.range, with: fixIt.text.utf8)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
