import SimpleFutures

/// Decides what to do with elements that arrive faster than a loop takes them.
///
///     for try await position in positions.values(buffering: .newest(1)) {
///         try await upload(position)
///     }
///
/// Each iterator has its own buffer, so a slow one affects only itself. Emitting never waits. Losses are counted: each
/// element that reaches an iterator is delivered, counted as dropped, or in the buffer. A loop over `values` throws the
/// first failure even if its buffer has dropped that; with `failing`, it throws the overflow.
public struct StreamBufferingPolicy: Sendable, Hashable {
    @usableFromInline
    enum Kind: UInt8, Sendable {
        case unbounded
        case newest
        case oldest
        case failing
        case reportingLag
    }

    @usableFromInline let kind: Kind
    @usableFromInline let bound: Int

    /// Keeps all elements: none is lost.
    ///
    /// If a consumer stays slower than the producer, use another policy.
    public static var unbounded: StreamBufferingPolicy { StreamBufferingPolicy(kind: .unbounded, bound: .max) }

    /// Keeps the newest elements, and drops the oldest ones when the buffer is full.
    ///
    /// - Parameters:
    ///   - bound: The size of the buffer. It must be positive.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    public static func newest(
        _ bound: Int, fileID: StaticString = #fileID, line: UInt = #line
    ) -> StreamBufferingPolicy {
        StreamBufferingPolicy(.newest, bound, fileID, line)
    }

    /// Keeps the oldest elements, and drops new ones while the buffer is full.
    ///
    /// - Parameters:
    ///   - bound: The size of the buffer. It must be positive.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    public static func oldest(
        _ bound: Int, fileID: StaticString = #fileID, line: UInt = #line
    ) -> StreamBufferingPolicy {
        StreamBufferingPolicy(.oldest, bound, fileID, line)
    }

    /// Fails when the buffer is full: after the buffered elements the loop gets `FuturesError.bufferOverflow(dropped:)`
    /// and ends.
    ///
    /// - Parameters:
    ///   - bound: The size of the buffer. It must be positive.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    public static func failing(
        _ bound: Int, fileID: StaticString = #fileID, line: UInt = #line
    ) -> StreamBufferingPolicy {
        StreamBufferingPolicy(.failing, bound, fileID, line)
    }

    /// Keeps the newest elements, and reports lost ones.
    ///
    /// With `results`, the next element after a loss is the failure `FuturesError.bufferOverflow(dropped:)`, with the
    /// number of lost elements, and the loop continues. With `values`, losses are only counted.
    ///
    /// - Parameters:
    ///   - bound: The size of the buffer. It must be positive.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
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
    /// The policy as in source code: `newest(4)`.
    public var description: String { kind == .unbounded ? "unbounded" : "\(kind)(\(bound))" }
}
