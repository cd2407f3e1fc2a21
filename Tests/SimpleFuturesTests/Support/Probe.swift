/// An object whose release a test can see: capture it, keep it weakly, look.
final class Probe: Sendable {
    init() {}

    /// Keeps the object out of the optimiser's reach up to here.
    func use() {}
}
