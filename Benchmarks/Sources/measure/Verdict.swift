/// The verdict about a goal, in words.
struct Verdict {
    let isMet: Bool
    /// Whether the result is at least no regression.
    let isHeld: Bool
    let text: String

    /// The goal, if there is one.
    let goal: Double?

    init(_ value: Double, goal: Double?, limit: Double? = nil, digits: Int = 2, unit: String = "") {
        self.goal = goal
        guard let goal else {
            (isMet, isHeld, text) = (true, true, "")
            return
        }
        isMet = value <= goal
        isHeld = value <= max(goal, limit ?? goal)
        text = "≤ \(fixed(goal, digits))\(unit) \(isMet ? "met" : "MISSED")"
    }
}
