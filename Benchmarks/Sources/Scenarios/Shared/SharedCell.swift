/// Something on which one thread registers callbacks while another completes it.
protocol SharedCell: Sendable {
    init()

    /// Gives it its value.
    func complete(_ value: Int)

    /// Runs the closure with the value, once there is one.
    func whenComplete(_ completion: @escaping @Sendable (Int) -> Void)
}
