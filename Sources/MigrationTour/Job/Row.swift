/// A file to work on: its name as the user passed it, and its path.
struct InputFile: Sendable {
    let name: String
    let path: String
}

/// The result for one file: its figures, or an error.
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

    /// Throws if the two byte counts differ, or if the file is empty.
    init(_ file: InputFile, _ counts: Counts, _ checksum: Checksum) throws(FileError) {
        guard counts.bytes == checksum.bytes else {
            throw .byteCountsDiffer(ours: counts.bytes, child: checksum.bytes)
        }
        guard counts.bytes > 0 else { throw .empty }
        name = file.name
        result = .success(Figures(counts: counts, crc: checksum.crc))
    }
}
