import Foundation
@testable import TestSupport

/// The bytes of generated bodies: so many that look like chance, over and over.
///
/// The period is a prime: a body that begins again, or has a gap, does not match, as that would have to be after a
/// multiple of it.
enum HTTPPattern {
    static let period = 65_521
    private static let longestPiece = 32_768

    /// One period, and as much of the next as a piece may reach into.
    private static let source = {
        var state: UInt32 = 1
        let bytes = (0..<period).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(state >> 24)
        }
        return bytes + bytes.prefix(longestPiece)
    }()

    /// The bytes from an offset on, at most so many; fewer when that is convenient.
    static func bytes(at offset: Int, atMost count: Int) -> Data {
        let start = offset % period
        return Data(source[start..<start + min(count, longestPiece)])
    }

    /// Whether the bytes are those that stand at an offset.
    static func matches(_ data: Data, at offset: Int = 0) -> Bool {
        var checked = 0
        while checked < data.count {
            let expected = bytes(at: offset + checked, atMost: data.count - checked)
            guard data.dropFirst(checked).prefix(expected.count) == expected else { return false }
            checked += expected.count
        }
        return true
    }
}
