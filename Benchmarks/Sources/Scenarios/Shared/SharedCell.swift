/// A cell on which one thread registers callbacks while another one completes it.
protocol SharedCell: Sendable {
    init()

    /// Completes the cell.
    func complete(_ value: Int)

    /// Runs the closure with the value when there is one.
    func whenComplete(_ completion: @escaping @Sendable (Int) -> Void)
}
