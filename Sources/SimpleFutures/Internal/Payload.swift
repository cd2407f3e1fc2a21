/// The storage of one value of any type: inline when it fits into three words, else on the heap.
///
/// It is untyped, so that everything but the access to the value itself is compiled once and not for every `T`, and so
/// that a future's memory is laid out alike for all of them. Memory safety rests on two rules that `AnyFuture` keeps:
/// the value is initialised once, in the transition that ends `pending`, and it is read or destroyed in the phase alone
/// that this transition has set. Nothing moves a payload that holds a value.
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

    /// Takes a value out, to be destroyed later by `destroyBox`.
    static func moveToBox<Value>(_ raw: UnsafeMutableRawPointer, as _: Value.Type) -> UnsafeMutableRawPointer {
        if isInline(Value.self) {
            // Not byte by byte: a weak reference, for one, is registered where it lies.
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

    // An error is one word, and is written by functions of its own: a generic one would open the existential and store
    // what is inside.

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

    // As long as a future is pending, its payload has room for what works on the result. Everybody who comes here has
    // the future's lock, or is the last one who knows the future.

    @inline(__always)
    static func worker(_ raw: UnsafeMutableRawPointer) -> Worker? { raw.load(as: Worker?.self) }

    static func put(_ worker: Worker, into raw: UnsafeMutableRawPointer) {
        raw.storeBytes(of: worker, as: Worker?.self)
    }

    @inline(__always)
    static func takeWorker(_ raw: UnsafeMutableRawPointer) -> Worker? {
        let worker = worker(raw)
        if worker != nil { raw.storeBytes(of: nil, as: Worker?.self) }
        return worker
    }
}

/// What works on the result of a future: anything that is one word, and how to let it go.
///
/// Package hook. A task is no object as far as the language is concerned; kept like this it needs none around it.
package struct Worker {
    // The function comes first, since it is never zero: so nil is a word of zeros, as in a new payload.
    let release: @convention(c) (UInt) -> Void
    package let word: UInt

    package init(_ word: UInt, release: @escaping @convention(c) (UInt) -> Void) {
        self.word = word
        self.release = release
    }

    func letGo() { release(word) }

    /// For a derived future: the one that it comes from, behind which there is a task.
    init(upstream: AnyObject) {
        self.init(UInt(bitPattern: Unmanaged.passRetained(upstream).toOpaque()), release: releaseUpstream)
    }

    var isUpstream: Bool {
        unsafeBitCast(release, to: UInt.self) == unsafeBitCast(releaseUpstream, to: UInt.self)
    }

    var upstream: AnyObject? {
        guard isUpstream, let pointer = UnsafeRawPointer(bitPattern: word) else { return nil }
        return Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue()
    }
}

private let releaseUpstream: @convention(c) (UInt) -> Void = { word in
    if let pointer = UnsafeRawPointer(bitPattern: word) { Unmanaged<AnyObject>.fromOpaque(pointer).release() }
}

/// Belongs to a future, under its lock.
@available(*, unavailable)
extension Worker: Sendable {}

/// Raw memory, safe only by the rules of its future.
@available(*, unavailable)
extension Payload: Sendable {}
