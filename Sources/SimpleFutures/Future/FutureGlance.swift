/// What is to be seen of a future without its lock: the phase, and whether it is at rest.
struct FutureGlance: Sendable {
    let byte: UInt8

    private static let rest: UInt8 = 0x80

    @inline(__always)
    init(byte: UInt8) { self.byte = byte }

    @inline(__always)
    init(_ phase: FuturePhase, isAtRest: Bool = false) { byte = phase.rawValue | (isAtRest ? Self.rest : 0) }

    var phase: FuturePhase {
        @inline(__always) get { FuturePhase(rawValue: byte & ~Self.rest).unsafelyUnwrapped }
    }

    var isPending: Bool {
        @inline(__always) get { byte == FuturePhase.pending.rawValue }
    }

    /// Whether the future is settled, and nobody is delivering it, or about to.
    ///
    /// Nobody who was registered before is then still to be called where the future is settled.
    var isAtRest: Bool {
        @inline(__always) get { byte & Self.rest != 0 }
    }
}
