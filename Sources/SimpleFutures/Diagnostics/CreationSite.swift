/// The source location where a promise was created or a completion handler was wrapped.
@frozen
public struct CreationSite: Hashable, @unchecked Sendable {
    // Sendable: the pointer refers to a string literal, which lives as long as the program and never changes. Storing
    // pointer, length and line takes less space than a StaticString, and every promise carries one.

    @usableFromInline let start: UnsafePointer<UInt8>
    @usableFromInline let length: UInt32
    @usableFromInline let lineNumber: UInt32

    /// Creates a source location.
    ///
    /// Both parameters are usually default arguments of your own function that it passes on.
    @inlinable
    public init(fileID: StaticString = #fileID, line: UInt = #line) {
        let file: StaticString = fileID.hasPointerRepresentation ? fileID : "?"
        start = file.utf8Start
        length = UInt32(clamping: file.utf8CodeUnitCount)
        lineNumber = UInt32(clamping: line)
    }

    /// The module and the file, as in `MyApp/Profile.swift`.
    public var fileID: String {
        String(decoding: UnsafeBufferPointer(start: start, count: Int(length)), as: UTF8.self)
    }

    /// The line, counted from one.
    public var line: Int { Int(lineNumber) }

    /// Whether both refer to the same line of the same file.
    public static func == (left: CreationSite, right: CreationSite) -> Bool {
        left.lineNumber == right.lineNumber && left.fileID == right.fileID
    }

    /// Hashes file and line.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(fileID)
        hasher.combine(lineNumber)
    }
}

extension CreationSite: CustomStringConvertible {
    /// File and line, as in `MyApp/Profile.swift:42`.
    public var description: String { "\(fileID):\(line)" }
}
