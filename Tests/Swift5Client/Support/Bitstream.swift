/// Reads LLVM's bitstream container: nested blocks of records, each a code with numbers and sometimes bytes.
///
/// The format: https://llvm.org/docs/BitCodeFormat.html#bitstream-format
struct Bitstream {
    /// What the reader hands out, in the order of the file.
    enum Element {
        case enterBlock(id: Int)
        case endBlock
        case record(code: Int, fields: [Int], blob: [UInt8])
    }

    private enum Operand {
        case literal(Int)
        case fixed(Int)
        case variable(Int)
        case array
        case char6
        case blob
    }

    private struct Block {
        let id: Int
        /// How many bits say which abbreviation comes next.
        let idWidth: Int
        var abbreviations: [[Operand]]
    }

    private let bytes: [UInt8]
    private var bit: Int
    private var blocks: [Block] = []
    /// What a BLOCKINFO block has told of blocks to come.
    private var knownAbbreviations: [Int: [[Operand]]] = [:]

    /// Nil if the bytes do not begin with the four characters.
    init?(_ bytes: [UInt8], magic: String) {
        guard bytes.starts(with: magic.utf8) else { return nil }
        self.bytes = bytes
        bit = magic.utf8.count * 8
    }

    /// The next element, or nil at the end.
    mutating func next() -> Element? {
        while bit + 32 <= bytes.count * 8 || !blocks.isEmpty {
            switch fixed(blocks.last?.idWidth ?? 2) {
            case 0:
                align()
                blocks.removeLast()
                return .endBlock
            case 1:
                let id = variable(8)
                let idWidth = variable(4)
                align()
                _ = fixed(32)
                if id == 0 {
                    readBlockInfo(idWidth: idWidth)
                    continue
                }
                blocks.append(Block(id: id, idWidth: idWidth, abbreviations: knownAbbreviations[id] ?? []))
                return .enterBlock(id: id)
            case 2: blocks[blocks.count - 1].abbreviations.append(abbreviation())
            case 3: return unabbreviatedRecord()
            case let id: return record(blocks[blocks.count - 1].abbreviations[id - 4])
            }
        }
        return nil
    }

    private mutating func readBlockInfo(idWidth: Int) {
        var subject = 0
        while true {
            switch fixed(idWidth) {
            case 0: return align()
            case 2: knownAbbreviations[subject, default: []].append(abbreviation())
            default: if case .record(1, let fields, _) = unabbreviatedRecord() { subject = fields[0] }
            }
        }
    }

    private mutating func abbreviation() -> [Operand] {
        let count = variable(5)
        var operands: [Operand] = []
        while operands.count < count { operands.append(operand()) }
        return operands
    }

    private mutating func operand() -> Operand {
        if fixed(1) == 1 { return .literal(variable(8)) }
        switch fixed(3) {
        case 1: return .fixed(variable(5))
        case 2: return .variable(variable(5))
        case 3: return .array
        case 4: return .char6
        default: return .blob
        }
    }

    private mutating func unabbreviatedRecord() -> Element {
        let code = variable(6)
        let fields = (0..<variable(6)).map { _ in variable(6) }
        return .record(code: code, fields: fields, blob: [])
    }

    private mutating func record(_ operands: [Operand]) -> Element {
        var fields: [Int] = []
        var blob: [UInt8] = []
        var rest = operands[...]
        while let operand = rest.popFirst() {
            switch operand {
            case .array:
                // The last operand says what the elements are.
                let element = rest.removeLast()
                for _ in 0..<variable(6) { fields.append(scalar(element)) }
            case .blob:
                let count = variable(6)
                align()
                blob = Array(bytes[bit / 8..<bit / 8 + count])
                bit += count * 8
                align()
            default: fields.append(scalar(operand))
            }
        }
        return .record(code: fields.removeFirst(), fields: fields, blob: blob)
    }

    private mutating func scalar(_ operand: Operand) -> Int {
        switch operand {
        case .literal(let value): value
        case .fixed(let width): fixed(width)
        case .variable(let width): variable(width)
        case .char6, .array, .blob: fixed(6)
        }
    }

    private mutating func fixed(_ width: Int) -> Int {
        var value = 0
        for position in 0..<width {
            value |= Int(bytes[bit / 8] >> UInt8(bit % 8) & 1) << position
            bit += 1
        }
        return value
    }

    private mutating func variable(_ width: Int) -> Int {
        var value = 0
        var shift = 0
        while true {
            let chunk = fixed(width)
            value |= (chunk & (1 << (width - 1) - 1)) << shift
            if chunk >> (width - 1) == 0 { return value }
            shift += width - 1
        }
    }

    private mutating func align() { bit = (bit + 31) / 32 * 32 }
}
