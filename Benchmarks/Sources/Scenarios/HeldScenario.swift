/// Something that is built and kept, to learn how much memory it takes.
public struct HeldScenario: Sendable {
    /// What is held and whose it is, as in `held.nio`.
    public let name: String

    /// Builds so many and adds what keeps them alive, for which the array has room.
    public let build: @Sendable (_ count: Int, _ held: inout [Held]) -> Void

    init(_ name: String, build: @escaping @Sendable (_ count: Int, _ held: inout [Held]) -> Void) {
        self.name = name
        self.build = build
    }

    /// The same as something to run: so many are built, then all are released while still pending.
    public var scenario: Scenario {
        Scenario(name) { [build] count in
            var held: [Held] = []
            held.reserveCapacity(count)
            build(count, &held)
        }
    }
}

/// What keeps something pending alive: its producer, and the end of the chain that hangs on it.
public struct Held {
    let producer: AnyObject
    let end: AnyObject?

    init(_ producer: AnyObject, end: AnyObject? = nil) {
        self.producer = producer
        self.end = end
    }
}
