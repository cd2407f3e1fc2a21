/// An object that shows whether it was released: let code capture it, and keep a weak reference.
final class Probe: Sendable {
    init() {}

    /// Keeps the optimizer from releasing the object before this call.
    func use() {}
}

/// Passes a new probe to some code, and checks whether that code still holds it.
struct Watch {
    private weak var probe: Probe?

    init(_ capture: (Probe) throws -> Void) rethrows {
        let probe = Probe()
        try capture(probe)
        self.probe = probe
    }

    var isReleased: Bool { probe == nil }
}

/// Runs a closure when it is released.
final class AtDeinit: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    deinit { body() }

    /// Keeps the optimizer from releasing the object before this call.
    func use() {}
}

struct ProbeError: Error {
    let probe: Probe
}
