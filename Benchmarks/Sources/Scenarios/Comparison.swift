/// Ours beside a peer's, and how much of the peer's time ours may take.
public struct Comparison: Sendable {
    /// The row of the table it belongs to.
    public let row: Int
    /// What is compared, in words.
    public let title: String
    /// Who the peer is.
    public let peerName: String
    /// This package's way.
    public let ours: Scenario
    /// The peer's way.
    public let peer: Scenario

    /// The largest ratio of ours to the peer's that meets the goal; `nil` where the peer is there for information.
    public let goal: Double?

    /// The largest ratio that is no step back: more than the goal where that is known to be missed, or needs two
    /// processors that nobody else uses.
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
