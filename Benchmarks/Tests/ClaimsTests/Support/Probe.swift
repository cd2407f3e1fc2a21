/// An object whose release a test can observe through a weak reference.
final class Probe: Sendable {
    init() {}

    /// Keeps the optimizer from releasing the object before this call.
    func use() {}
}

/// Gives a new probe to some code, and tells whether that code still holds it.
struct Watch {
    private weak var probe: Probe?

    init(_ capture: (Probe) throws -> Void) rethrows {
        let probe = Probe()
        try capture(probe)
        self.probe = probe
    }

    var isReleased: Bool { probe == nil }
}
