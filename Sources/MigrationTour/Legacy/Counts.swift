import Foundation

/// The lines, words and bytes of a file, as `wc` counts them in ASCII text.
///
/// A line ends with a newline, so an unterminated last line is not counted. A word is a run of bytes other than ASCII
/// white space: space, tab, newline, vertical tab, form feed, carriage return.
struct Counts: Equatable, Sendable {
    var lines = 0
    var words = 0
    var bytes = 0

    static func + (left: Counts, right: Counts) -> Counts {
        Counts(lines: left.lines + right.lines, words: left.words + right.words, bytes: left.bytes + right.bytes)
    }
}

/// Counts a file that arrives in chunks; a word that two chunks share is counted once.
struct Counter {
    private(set) var counts = Counts()
    private var isInWord = false

    mutating func add(_ chunk: Data) {
        chunk.withUnsafeBytes { add($0) }
    }

    /// The counter after one more chunk.
    func adding(_ chunk: Data) -> Counter {
        var counter = self
        counter.add(chunk)
        return counter
    }

    private mutating func add(_ chunk: UnsafeRawBufferPointer) {
        // Local copies, because the loop runs once for each byte of each file.
        var (lines, words, isInWord) = (0, 0, isInWord)
        for byte in chunk {
            switch byte {
            case 0x0A:
                lines += 1
                isInWord = false
            case 0x20, 0x09, 0x0B...0x0D:
                isInWord = false
            default:
                if !isInWord { words += 1 }
                isInWord = true
            }
        }
        counts = counts + Counts(lines: lines, words: words, bytes: chunk.count)
        self.isInWord = isInWord
    }
}

/// What `cksum` says about a file.
struct Checksum: Equatable, Sendable {
    let crc: UInt32
    let bytes: Int

    /// Reads `CRC BYTES NAME`; nil if the output is not of that form.
    init?(output: String) {
        let fields = output.split(separator: " ", maxSplits: 2)
        guard fields.count == 3, let crc = UInt32(fields[0]), let bytes = Int(fields[1]) else { return nil }
        self.crc = crc
        self.bytes = bytes
    }
}
