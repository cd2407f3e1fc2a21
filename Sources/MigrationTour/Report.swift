/// A file to work on: as the user named it, and where it is.
struct InputFile: Sendable {
    let name: String
    let path: String

    /// The path as a program is given it: no option, nor "-", which stands for the standard input.
    var argument: String { path.hasPrefix("-") ? "./" + path : path }
}

/// One line of the table: the figures of one file, or why there are none.
struct Row: Equatable, Sendable {
    let name: String
    let result: Result<Figures, FileError>

    struct Figures: Equatable, Sendable {
        let counts: Counts
        let crc: UInt32
    }

    init(_ file: InputFile, failure: any Error) {
        name = file.name
        result = .failure(FileError(failure))
    }

    /// Checks the child's byte count against ours.
    init(_ file: InputFile, _ counts: Counts, _ checksum: Checksum) throws(FileError) {
        guard counts.bytes == checksum.bytes else {
            throw .byteCountsDiffer(ours: counts.bytes, child: checksum.bytes)
        }
        guard counts.bytes > 0 else { throw .empty }
        name = file.name
        result = .success(Figures(counts: counts, crc: checksum.crc))
    }
}

/// The table that a stage's rows make: one line a file, then the total.
struct Report: Sendable {
    let rows: [Row]

    var errorCount: Int {
        rows.count { $0.figures == nil }
    }

    /// The table's lines, columns aligned, without newlines.
    var lines: [String] {
        let table = [["lines", "words", "bytes", "checksum", "file"]] + rows.map(\.cells) + [totalCells]
        let widths = (0..<4).map { column in table.lazy.map { $0[column].count }.max() ?? 0 }
        return table.map { cells in
            let figures = zip(cells, widths).map { cell, width in
                String(repeating: " ", count: width - cell.count) + cell
            }
            return (figures + [cells[4]]).joined(separator: "  ")
        }
    }

    private var totalCells: [String] {
        let total = rows.compactMap(\.figures?.counts).reduce(Counts(), +)
        let errors = errorCount == 0 ? "" : ", \(count(errorCount, "error"))"
        return total.cells + ["", "total of \(count(rows.count, "file"))\(errors)"]
    }

    private func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
}

extension Row {
    fileprivate var figures: Figures? {
        try? result.get()
    }

    /// The row's cells, the file's name last.
    var cells: [String] {
        switch result {
        case .success(let figures): figures.counts.cells + [String(figures.crc), name.printable]
        case .failure(let error): ["-", "-", "-", "-", "\(name.printable): \(error.description.printable)"]
        }
    }
}

extension Counts {
    fileprivate var cells: [String] {
        [String(lines), String(words), String(bytes)]
    }
}

extension String {
    /// Control characters escaped, so that a name with a newline is still one line of the table.
    var printable: String {
        guard !isEmpty else { return "''" }
        return unicodeScalars.reduce(into: "") { text, scalar in
            text += scalar.properties.generalCategory == .control ? scalar.escaped(asASCII: true) : String(scalar)
        }
    }
}
