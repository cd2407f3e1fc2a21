/// Objects that are built and kept, to measure their memory.
public struct HeldScenario: Sendable {
    /// The name of the object and its library, as in `held.nio`.
    public let name: String

    /// Builds `count` objects and adds the references that keep them alive; the array has room for them.
    public let build: @Sendable (_ count: Int, _ held: inout [Held]) -> Void

    init(_ name: String, build: @escaping @Sendable (_ count: Int, _ held: inout [Held]) -> Void) {
        self.name = name
        self.build = build
    }

    /// The same as a time measurement: the objects are built, then all released while still pending.
    public var scenario: Scenario {
        Scenario(name) { [build] count in
            var held: [Held] = []
            held.reserveCapacity(count)
            build(count, &held)
        }
    }
}

/// The references that keep a pending future alive: its producer, and the end of the chain derived from it.
public struct Held {
    let producer: AnyObject
    let end: AnyObject?

    init(_ producer: AnyObject, end: AnyObject? = nil) {
        self.producer = producer
        self.end = end
    }
}
