extension Scenario {
    /// Every scenario once, those that hold memory too.
    public static let all: [Scenario] = {
        let timed = Comparison.all.flatMap { [$0.ours, $0.peer] }
        let held = HeldComparison.all.flatMap { [$0.ours, $0.peer].compactMap { $0?.scenario } }
        var names: Set<String> = []
        return (timed + held).filter { names.insert($0.name).inserted }
    }()

    /// The scenario of that name.
    public static func named(_ name: String) -> Scenario? {
        all.first { $0.name == name }
    }
}
