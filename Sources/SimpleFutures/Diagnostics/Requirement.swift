/// Stops the program with a message when an argument is unusable.
///
/// A precondition would be silent in a release build, and would name a line of the library. Package hook.
///
/// - Parameters:
///   - condition: The requirement.
///   - message: Names the argument, the allowed values and a value to pass instead.
///   - fileID: The file of the caller.
///   - line: The line of the caller.
@inline(__always)
package func require(
    _ condition: Bool, _ message: @autoclosure () -> String, _ fileID: StaticString, _ line: UInt
) {
    guard condition else { fatalError(message(), file: fileID, line: line) }
}

/// Requires a valid stream capacity.
///
/// Package hook.
package func requireCapacity(_ capacity: Int, _ fileID: StaticString, _ line: UInt) {
    require(
        capacity >= 0,
        """
        A FutureStream was given the capacity \(capacity); it must be 0 or more. Pass 0 to replay no elements, \
        `Int.max` to replay all.
        """, fileID, line)
}
