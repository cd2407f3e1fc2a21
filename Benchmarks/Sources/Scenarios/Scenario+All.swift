extension Scenario {
    /// Every scenario once, including those that measure memory.
    public static let all: [Scenario] = {
        let timed = Comparison.all.flatMap { [$0.ours, $0.peer] }
        let held = HeldComparison.all.flatMap { [$0.ours, $0.peer].compactMap { $0?.scenario } }
        var names: Set<String> = []
        return (timed + held).filter { names.insert($0.name).inserted }
    }()

    /// Returns the scenario with the given name.
    public static func named(_ name: String) -> Scenario? {
        all.first { $0.name == name }
    }
}
