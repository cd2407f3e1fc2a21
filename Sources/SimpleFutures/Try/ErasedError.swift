// Where a generic parameter stands for `any Error`, code that is not specialized puts the error, box and all, into a
// new box. Each function that an error passes through would add a box, and casts and the release recurse through
// them (promise 7).

/// Returns an error as `any Error`, without a box around the box of an `any Error`.
@usableFromInline
package func erased<E: Error>(_ error: E) -> any Error {
    guard E.self == (any Error).self else { return error }
    return withUnsafePointer(to: error) { UnsafeRawPointer($0).load(as: (any Error).self) }
}

/// Removes the box that generic code of others has put around an `any Error`.
package func unboxed(_ error: any Error) -> any Error {
    // Only a cast at run time looks into the box.
    let content: Any = error
    return content as? any Error ?? error
}
