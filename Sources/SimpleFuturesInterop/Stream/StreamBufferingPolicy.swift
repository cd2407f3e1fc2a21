import SimpleFutures

/// Decides what to do with elements that arrive faster than a loop takes them.
///
///     for try await position in positions.values(buffering: .newest(1)) {
///         await map.draw(position)
///     }
///
/// Each iterator has a buffer of its own, so a slow one affects only itself. Emission never waits. What was lost is
/// counted: of all that has come to an iterator, each element was delivered, or is counted as dropped, or is in the
/// buffer.
public struct StreamBufferingPolicy: Sendable, Hashable {
    @usableFromInline
    package enum Kind: UInt8, Sendable {
        case unbounded
        case newest
        case oldest
        case failing
        case reportingLag
    }

    @usableFromInline package let kind: Kind
    @usableFromInline package let bound: Int

    /// Keeps everything: nothing is ever lost.
    ///
    /// A consumer that is always slower than the producer needs one of the others.
    public static var unbounded: StreamBufferingPolicy { StreamBufferingPolicy(kind: .unbounded, bound: .max) }

    /// Keeps the newest elements; an older one is dropped for each that comes too much.
    ///
    /// - Parameters:
    ///   - bound: How many. It must be positive.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
    public static func newest(
        _ bound: Int, fileID: StaticString = #fileID, line: UInt = #line
    ) -> StreamBufferingPolicy {
        StreamBufferingPolicy(.newest, bound, fileID, line)
    }

    /// Keeps the oldest elements; while they wait, those that come are dropped.
    ///
    /// - Parameters:
    ///   - bound: How many. It must be positive.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
    public static func oldest(
        _ bound: Int, fileID: StaticString = #fileID, line: UInt = #line
    ) -> StreamBufferingPolicy {
        StreamBufferingPolicy(.oldest, bound, fileID, line)
    }

    /// Gives up when elements would be lost: after those that were kept comes the failure
    /// `FuturesError.bufferOverflow(dropped:)`, and the end.
    ///
    /// - Parameters:
    ///   - bound: How many elements are kept. It must be positive.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
    public static func failing(
        _ bound: Int, fileID: StaticString = #fileID, line: UInt = #line
    ) -> StreamBufferingPolicy {
        StreamBufferingPolicy(.failing, bound, fileID, line)
    }

    /// Keeps the newest elements, and says so when others were lost.
    ///
    /// Of `results`, the next element is then one failure, `FuturesError.bufferOverflow(dropped:)`, that tells how
    /// many, and the loop goes on. Of `values` they are merely counted.
    ///
    /// - Parameters:
    ///   - bound: How many elements are kept. It must be positive.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
    public static func reportingLag(
        _ bound: Int, fileID: StaticString = #fileID, line: UInt = #line
    ) -> StreamBufferingPolicy {
        StreamBufferingPolicy(.reportingLag, bound, fileID, line)
    }

    private init(_ kind: Kind, _ bound: Int, _ fileID: StaticString, _ line: UInt) {
        require(
            bound > 0,
            """
            `StreamBufferingPolicy.\(kind)` was given \(bound); a buffer must have room for at least 1 element. Pass 1 or \
            more, or use `.unbounded` to lose none.
            """, fileID, line)
        self.init(kind: kind, bound: bound)
    }

    private init(kind: Kind, bound: Int) {
        self.kind = kind
        self.bound = bound
    }
}

extension StreamBufferingPolicy: CustomStringConvertible {
    /// As it is written: `newest(4)`.
    public var description: String { kind == .unbounded ? "unbounded" : "\(kind)(\(bound))" }
}
