/// Whether a goal is met, in words.
struct Verdict {
    let isMet: Bool
    let text: String

    /// The goal, if there is one.
    let goal: Double?

    init(_ value: Double, goal: Double?, digits: Int = 2, unit: String = "") {
        self.goal = goal
        guard let goal else {
            isMet = true
            text = ""
            return
        }
        isMet = value <= goal
        text = "≤ \(fixed(goal, digits))\(unit) \(isMet ? "met" : "MISSED")"
    }
}
