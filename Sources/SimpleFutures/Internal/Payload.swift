/// The storage of one value of any type: inline if it fits into three words, otherwise on the heap.
///
/// It is untyped, so that most code is compiled once and not for every `T`, and all futures have the same memory layout.
/// Memory safety depends on two rules that `AnyFuture` follows: the value is initialized once, in the transition that
/// ends `pending`, and it is read or destroyed only in the phase that this transition has set. A payload that holds a
/// value is never moved.
@usableFromInline
struct Payload {
    @usableFromInline var words: (UInt, UInt, UInt) = (0, 0, 0)

    @usableFromInline init() {}

    @inlinable @inline(__always)
    static func isInline<Value>(_: Value.Type) -> Bool {
        MemoryLayout<Value>.size <= MemoryLayout<(UInt, UInt, UInt)>.size
            && MemoryLayout<Value>.alignment <= MemoryLayout<UInt>.alignment
    }

    @inlinable @inline(__always)
    static func initialize<Value>(_ raw: UnsafeMutableRawPointer, to value: Value) {
        if isInline(Value.self) {
            raw.initializeMemory(as: Value.self, to: value)
        } else {
            let box = UnsafeMutablePointer<Value>.allocate(capacity: 1)
            box.initialize(to: value)
            raw.initializeMemory(as: UnsafeMutablePointer<Value>.self, to: box)
        }
    }

    @inlinable @inline(__always)
    static func load<Value>(_ raw: UnsafeMutableRawPointer, as _: Value.Type) -> Value {
        if isInline(Value.self) {
            raw.assumingMemoryBound(to: Value.self).pointee
        } else {
            raw.assumingMemoryBound(to: UnsafeMutablePointer<Value>.self).pointee.pointee
        }
    }

    @inlinable @inline(__always)
    static func destroy<Value>(_ raw: UnsafeMutableRawPointer, as _: Value.Type) {
        if isInline(Value.self) {
            raw.assumingMemoryBound(to: Value.self).deinitialize(count: 1)
        } else {
            let box = raw.assumingMemoryBound(to: UnsafeMutablePointer<Value>.self).pointee
            box.deinitialize(count: 1)
            box.deallocate()
        }
    }

    /// Moves a value out, to be destroyed later by `destroyBox`.
    static func moveToBox<Value>(_ raw: UnsafeMutableRawPointer, as _: Value.Type) -> UnsafeMutableRawPointer {
        if isInline(Value.self) {
            // Not a bytewise copy: a weak reference, for example, is registered by its address.
            let box = UnsafeMutablePointer<Value>.allocate(capacity: 1)
            box.moveInitialize(from: raw.assumingMemoryBound(to: Value.self), count: 1)
            return UnsafeMutableRawPointer(box)
        } else {
            return UnsafeMutableRawPointer(raw.assumingMemoryBound(to: UnsafeMutablePointer<Value>.self).pointee)
        }
    }

    static func destroyBox<Value>(_ box: UnsafeMutableRawPointer, as _: Value.Type) {
        let box = box.assumingMemoryBound(to: Value.self)
        box.deinitialize(count: 1)
        box.deallocate()
    }

    // An error is one word and has its own functions: a generic function would open the existential and store the error
    // inside.

    @inlinable @inline(__always)
    static func initializeError(_ raw: UnsafeMutableRawPointer, to error: any Error) {
        raw.initializeMemory(as: (any Error).self, to: error)
    }

    @inlinable @inline(__always)
    static func loadError(_ raw: UnsafeMutableRawPointer) -> any Error {
        raw.assumingMemoryBound(to: (any Error).self).pointee
    }

    static func destroyError(_ raw: UnsafeMutableRawPointer) {
        raw.assumingMemoryBound(to: (any Error).self).deinitialize(count: 1)
    }
}

/// Raw memory, made safe only by the rules of its future.
@available(*, unavailable)
extension Payload: Sendable {}
