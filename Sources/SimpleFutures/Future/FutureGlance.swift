/// What is to be seen of a future without its lock.
struct FutureGlance: Sendable {
    let byte: UInt8

    private static let rest: UInt8 = 0x80
    private static let worker: UInt8 = 0x40
    private static let addition: UInt8 = 0x20

    @inline(__always)
    init(byte: UInt8) { self.byte = byte }

    @inline(__always)
    init(_ phase: FuturePhase, isAtRest: Bool = false, hasWorker: Bool = false, hasAdditions: Bool = false) {
        byte =
            phase.rawValue | (isAtRest ? Self.rest : 0) | (hasWorker ? Self.worker : 0)
            | (hasAdditions ? Self.addition : 0)
    }

    var phase: FuturePhase {
        @inline(__always) get {
            FuturePhase(rawValue: byte & ~(Self.rest | Self.worker | Self.addition)).unsafelyUnwrapped
        }
    }

    var isPending: Bool {
        @inline(__always) get { phase == .pending }
    }

    /// Whether the future is pending and knows what works on its result.
    var hasWorker: Bool {
        @inline(__always) get { byte & Self.worker != 0 }
    }

    /// Whether the future is settled, and nobody is delivering it, or about to.
    ///
    /// Nobody who was registered before is then still to be called where the future is settled.
    var isAtRest: Bool {
        @inline(__always) get { byte & Self.rest != 0 }
    }

    /// Whether somebody has been added, behind whom others must queue up.
    var hasAdditions: Bool {
        @inline(__always) get { byte & Self.addition != 0 }
    }

    /// What a delivery that nobody was added to becomes when it ends.
    @inline(__always)
    static func rest(in phase: FuturePhase) -> FutureGlance { FutureGlance(phase, isAtRest: true) }

    /// That somebody was added, whom the one who delivers has yet to find.
    static var added: FutureGlance { FutureGlance(.pending, hasAdditions: true) }
}
