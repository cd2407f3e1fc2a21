// What the optimiser cannot see through, and so cannot drop.

/// Takes a value as if something came of it.
@inline(never)
@_optimize(none)
public func blackHole(_ value: Int) {}

/// Takes the address of an object as if somebody kept it, so that the object is made on the heap as in real code.
///
/// The address and not the reference, because to pass that to what is not optimised costs a retain and a release.
@inline(__always)
func escape(_ object: AnyObject) {
    blackHole(Int(bitPattern: Unmanaged.passUnretained(object).toOpaque()))
}
