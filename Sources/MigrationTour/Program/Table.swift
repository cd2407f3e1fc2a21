/// The table of files: one line per file, then the total.
struct Table: Sendable {
    let rows: [Row]

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
        rows.totalCounts.cells + ["", "total of \(rows.summary)"]
    }
}

extension [Row] {
    /// The rows that have an error instead of figures.
    var errors: [Row] { filter { $0.figures == nil } }

    var totalCounts: Counts { compactMap(\.figures?.counts).reduce(Counts(), +) }

    /// `12 files`, `12 files, 1 error`.
    var summary: String {
        "\(number(count, "file"))\(errors.isEmpty ? "" : ", " + number(errors.count, "error"))"
    }

    private func number(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
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
