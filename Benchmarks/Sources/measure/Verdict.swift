/// Whether a goal is met, in words.
struct Verdict {
    let isMet: Bool
    let text: String

    init(_ value: Double, goal: Double?, digits: Int = 2) {
        guard let goal else {
            isMet = true
            text = ""
            return
        }
        isMet = value <= goal
        text = "≤ \(fixed(goal, digits)) \(isMet ? "met" : "MISSED")"
    }
}
