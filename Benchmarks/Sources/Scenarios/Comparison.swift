/// A comparison of SimpleFutures with a peer, and the part of the peer's time that SimpleFutures may take.
public struct Comparison: Sendable {
    /// The number of the row in the table.
    public let row: Int
    /// A description of the operation.
    public let title: String
    /// The name of the peer.
    public let peerName: String
    /// The scenario of SimpleFutures.
    public let ours: Scenario
    /// The scenario of the peer.
    public let peer: Scenario

    /// The largest ratio to the peer's time that meets the goal; `nil` if the peer is there for information.
    public let goal: Double?

    /// The largest ratio that does not count as a regression: above the goal where the goal is known to be missed, or
    /// where the scenario needs two otherwise idle processors.
    public let limit: Double?

    init(
        _ row: Int, _ title: String, _ ours: Scenario, _ peerName: String, _ peer: Scenario, goal: Double? = nil,
        limit: Double? = nil
    ) {
        self.row = row
        self.title = title
        self.peerName = peerName
        self.ours = ours
        self.peer = peer
        self.goal = goal
        self.limit = limit ?? goal
    }
}
