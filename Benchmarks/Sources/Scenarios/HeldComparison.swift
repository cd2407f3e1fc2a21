/// The memory of one of ours beside a peer's, and how much it may be.
public struct HeldComparison: Sendable {
    /// The row of the table it belongs to.
    public let row = 14
    /// What is compared, in words.
    public let title: String
    /// Who the peer is, if there is one.
    public let peerName: String
    /// This package's way.
    public let ours: HeldScenario
    /// The peer's way, if it has one.
    public let peer: HeldScenario?

    /// The largest number of bytes that meets the goal, the allocator's own headers and padding included.
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
    /// All of them.
    public static let all: [HeldComparison] = [
        HeldComparison("pending Future alone", HeldFutures.bare),
        HeldComparison("pending Future, one callback", HeldFutures.future, "NIO promise", HeldFutures.nio, goal: 208),
        HeldComparison("pending Promise, one callback", HeldFutures.promise, "NIO promise", HeldFutures.nio, goal: 208),
        HeldComparison("pending map link", HeldFutures.map, "NIO map", HeldFutures.nioMap),
    ]
}
