extension AwaitPending {
    /// Each cell is completed by its own task, which the system can run on another thread.
    @concurrent
    static func acrossThreads<C: Cell>(_ type: C.Type, _ count: Int) async throws {
        for value in 0..<count {
            let cell = C()
            Task { cell.complete(value) }
            blackHole(try await cell.wait())
        }
    }
}
