// Functions that the optimizer can neither inspect nor remove.

/// Uses a value.
@inline(never)
@_optimize(none)
public func blackHole(_ value: Int) {}

/// Uses the address of an object, so that the object is allocated on the heap as in real code.
///
/// It passes the address and not the reference, because passing a reference to unoptimized code costs a retain and a
/// release.
@inline(__always)
func escape(_ object: AnyObject) {
    blackHole(Int(bitPattern: Unmanaged.passUnretained(object).toOpaque()))
}
