/// The memory of one of ours beside a peer's, and how much it may be.
public struct HeldComparison: Sendable {
    /// What is compared, in words.
    public let title: String
    /// This package's way.
    public let ours: HeldScenario
    /// The peer's way, if it has one.
    public let peer: HeldScenario?

    /// The largest number of bytes that meets the goal, the allocator's own headers and padding included.
    public let goal: Int?

    init(_ title: String, _ ours: HeldScenario, _ peer: HeldScenario? = nil, goal: Int? = nil) {
        self.title = title
        self.ours = ours
        self.peer = peer
        self.goal = goal
    }
}

extension HeldComparison {
    /// All of them.
    public static let all: [HeldComparison] = [
        HeldComparison("pending Future alone", HeldFutures.bare),
        HeldComparison("pending Future, one callback", HeldFutures.future, HeldFutures.nio, goal: 208),
        HeldComparison("pending Promise, one callback", HeldFutures.promise, HeldFutures.nio, goal: 208),
        HeldComparison("pending map link", HeldFutures.map, HeldFutures.nioMap),
    ]
}
