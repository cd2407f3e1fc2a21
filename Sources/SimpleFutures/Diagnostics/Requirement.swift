/// Ends the program over a number with which nothing could work.
///
/// A precondition would be silent in a release build, and would name a line of the library. Package hook.
///
/// - Parameters:
///   - condition: What must hold.
///   - message: What was passed, what is allowed, and what to pass instead.
///   - fileID: Where the user has called.
///   - line: Where the user has called.
@inline(__always)
package func require(
    _ condition: Bool, _ message: @autoclosure () -> String, _ fileID: StaticString, _ line: UInt
) {
    guard condition else { fatalError(message(), file: fileID, line: line) }
}

/// Requires a number of elements that a stream can keep.
///
/// Package hook.
package func requireCapacity(_ capacity: Int, _ fileID: StaticString, _ line: UInt) {
    require(
        capacity >= 0,
        """
        A FutureStream was given the capacity \(capacity); it can keep no fewer elements than 0. Pass 0 to keep none, \
        `Int.max` to keep all.
        """, fileID, line)
}
