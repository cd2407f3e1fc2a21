import Callbacks
import SourceFiles

extension Inventory {
    /// The scan as a table for people, one block for each file, and a summary.
    ///
    /// - Parameters:
    ///   - width: The number of columns of the terminal. Wider tables lose the end of long names.
    ///   - showsCallers: Whether to name the callers.
    public func table(width: Int = .max, showsCallers: Bool = false) -> String {
        var blocks: [String] = []
        let rows = entries.map(Row.init)
        let widths = ColumnWidths(rows, width: width)
        for (path, group) in grouped(rows) {
            blocks.append(
                path + "\n" + group.map { $0.line(widths, showsCallers: showsCallers) }.joined(separator: "\n"))
        }
        if !calledBySystem.isEmpty { blocks.append(systemBlock) }
        if !delegates.isEmpty { blocks.append(delegateBlock) }
        if !repeated.isEmpty { blocks.append(repeatedBlock) }
        if !entries.isEmpty { blocks.append(summary) }
        if !libraries.isEmpty { blocks.append(libraryBlock) }
        blocks.append(progressLine)
        return blocks.joined(separator: "\n\n") + "\n"
    }

    /// The line of progress: "213 of 1,510 wrapped, 87 awaited".
    public var progressLine: String {
        let totals = totals
        return "\(grouped(totals.wrapped)) of \(grouped(totals.functions)) wrapped, \(grouped(totals.awaited)) awaited"
    }

    private func grouped(_ rows: [Row]) -> [(path: String, rows: [Row])] {
        var groups: [(path: String, rows: [Row])] = []
        for row in rows {
            if groups.last?.path == row.entry.function.path {
                groups[groups.count - 1].rows.append(row)
            } else {
                groups.append((row.entry.function.path, [row]))
            }
        }
        return groups
    }

    private var systemBlock: String {
        let lines = calledBySystem.map { "  \($0.path):\($0.facts.position.line)  \($0.facts.qualifiedName)" }
        return
            "Called by the system, or overrides of its functions (make them async, and write `callback(completionHandler) { try await … }`):\n"
            + lines.joined(separator: "\n")
    }

    private var delegateBlock: String {
        let lines = delegates.map { delegate in
            let facts = delegate.facts
            let events = "\(facts.events.count) \(facts.events.count == 1 ? "event" : "events")"
            let questions = facts.questions.isEmpty ? "" : ", \(facts.questions.count) that return a value"
            return "  \(delegate.path):\(facts.position.line)  \(facts.name): \(events)\(questions)"
        }
        return "Delegates (write a class with a StreamPromise; `migrator wrap --delegates` drafts it):\n"
            + lines.joined(separator: "\n")
    }

    private var repeatedBlock: String {
        let lines = repeated.map { "  \($0.path):\($0.position.line)  \($0.name): \($0.parameters)" }
        return "Called again and again (wrap with `futureStream(capacity:method:)`):\n" + lines.joined(separator: "\n")
    }

    private var libraryBlock: String {
        "Other libraries, whose calls this scan leaves out (the pages are in "
            + "Sources/SimpleFuturesInterop/SimpleFuturesInterop.docc):\n"
            + libraries.map { "  " + $0.line }.joined(separator: "\n")
    }

    /// The shapes with their numbers, the most frequent first.
    private var summary: String {
        let shapes = Dictionary(grouping: entries, by: \.function.shape.name).mapValues(\.count)
            .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let width = shapes.map { Table.grouped($0.value).count }.max() ?? 0
        var lines = shapes.map { shape, count in
            "  " + Table.pad(Table.grouped(count), to: width, right: true) + "  " + shape
        }
        let byHand = entries.count { if case .byHand = $0.function.call { true } else { false } }
        let levels = [Level.leaf, .middle, .root].map { level in
            "\(Table.grouped(entries.count { $0.level == level })) \(level.rawValue)"
        }
        lines.append(
            "  `future { }` takes \(Table.grouped(entries.count - byHand)) of \(Table.grouped(entries.count)).")
        lines.append("  " + levels.joined(separator: ", ") + ".")
        return "Shapes:\n" + lines.joined(separator: "\n")
    }

    private func grouped(_ number: Int) -> String { Table.grouped(number) }
}

enum Table {
    static func pad(_ text: String, to width: Int, right: Bool = false) -> String {
        let padding = String(repeating: " ", count: max(0, width - text.count))
        return right ? padding + text : text + padding
    }

    static func cut(_ text: String, to width: Int) -> String {
        text.count <= width ? text : text.prefix(max(1, width - 1)) + "…"
    }

    /// 1510 as "1,510".
    static func grouped(_ number: Int) -> String {
        let digits = String(number)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return text
    }
}

private struct Row {
    let entry: InventoryEntry
    let line: String
    let name: String
    let shape: String
    let call: String
    let state: String
    let callers: String

    init(_ entry: InventoryEntry) {
        self.entry = entry
        let function = entry.function
        line = String(function.facts.position.line)
        name = function.facts.qualifiedName
        shape = function.shape.name + (function.shape.typedError.map { " \($0)" } ?? "")
        switch function.call {
        case .future: call = "future { }"
        case .cancellable: call = "future(cancelToken:) { }"
        case .byHand: call = "by hand"
        }
        state = entry.stage == .callback ? "-" : entry.stage.rawValue
        let count = entry.callers.count
        callers = "\(entry.level.rawValue), \(count) \(count == 1 ? "caller" : "callers")"
    }

    func line(_ widths: ColumnWidths, showsCallers: Bool) -> String {
        var text = "  " + Table.pad(line, to: widths.line, right: true)
        text += "  " + Table.pad(Table.cut(name, to: widths.name), to: widths.name)
        text += "  " + Table.pad(Table.cut(shape, to: widths.shape), to: widths.shape)
        text += "  " + Table.pad(call, to: widths.call)
        text += "  " + Table.pad(state, to: 7) + "  " + callers
        if case .byHand(let reason) = entry.function.call { text += "\n" + indented(reason, widths) }
        if showsCallers { for caller in entry.callers { text += "\n" + indented("called by " + caller, widths) } }
        return text
    }

    private func indented(_ text: String, _ widths: ColumnWidths) -> String {
        String(repeating: " ", count: widths.line + 6) + text
    }
}

private struct ColumnWidths {
    var line = 1
    var name = 1
    var shape = 1
    var call = 1

    init(_ rows: [Row], width: Int) {
        for row in rows {
            line = max(line, row.line.count)
            name = max(name, row.name.count)
            shape = max(shape, row.shape.count)
            call = max(call, row.call.count)
        }
        if width != .max { shape = min(shape, 28) }
        // The spaces between the columns, and the columns of the stage, the level and the callers.
        let rest = line + shape + call + 10 + 7 + 19
        name = max(24, min(name, width - rest))
    }
}
