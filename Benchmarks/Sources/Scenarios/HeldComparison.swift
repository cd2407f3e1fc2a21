/// A comparison of the memory of a SimpleFutures object with that of a peer, with its limit.
public struct HeldComparison: Sendable {
    /// The number of the row in the table.
    public let row = 14
    /// A description of the object.
    public let title: String
    /// The name of the peer, if there is one.
    public let peerName: String
    /// The scenario of SimpleFutures.
    public let ours: HeldScenario
    /// The scenario of the peer, if it has one.
    public let peer: HeldScenario?

    /// The largest number of bytes that meets the goal, including the allocator's headers and padding.
    public let goal: Int?

    init(
        _ title: String, _ ours: HeldScenario, _ peerName: String = "", _ peer: HeldScenario? = nil, goal: Int? = nil
    ) {
        self.title = title
        self.peerName = peerName
        self.ours = ours
        self.peer = peer
        self.goal = goal
    }
}

extension HeldComparison {
    /// All comparisons of memory.
    public static let all: [HeldComparison] = [
        HeldComparison("pending Future alone", HeldFutures.bare),
        HeldComparison("pending Future, one callback", HeldFutures.future, "NIO promise", HeldFutures.nio, goal: 208),
        HeldComparison("pending Promise, one callback", HeldFutures.promise, "NIO promise", HeldFutures.nio, goal: 208),
        HeldComparison("pending map link", HeldFutures.map, "NIO map", HeldFutures.nioMap),
    ]
}
