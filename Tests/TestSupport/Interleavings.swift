/// One of the threads of a scene: what it has yet to do, step by step.
///
/// A step is what happens at once for all others: a critical section, an atomic operation, or what is done between two
/// of these.
final class Player {
    let name: String
    private var steps: [(name: String, isOwn: Bool, run: () -> Void)] = []
    /// Where the next step goes that follows from the one that runs.
    private var place = 0

    init(_ name: String) { self.name = name }

    var isDone: Bool { steps.isEmpty }

    /// Whether its next step makes no difference to anybody else.
    fileprivate var isByItself: Bool { steps.first?.isOwn ?? false }

    /// Adds a step behind all others.
    func add(_ name: String, _ run: @escaping () -> Void) { steps.append((name, false, run)) }

    /// Adds a step that follows from the one that runs: behind others of that kind, before all the rest.
    ///
    /// - Parameter isOwn: Whether the step makes no difference to what others do, nor they to it: then it is taken as
    ///   soon as it can be, and does not multiply the orders.
    func next(_ name: String, isOwn: Bool = false, _ run: @escaping () -> Void) {
        steps.insert((name, isOwn, run), at: place)
        place += 1
    }

    fileprivate func takeStep() -> String {
        place = 0
        let step = steps.removeFirst()
        step.run()
        return "\(name): \(step.name)"
    }

    /// Takes all steps before anybody else takes one.
    func takeAllSteps() { while !isDone { _ = takeStep() } }

    /// Takes so many.
    func takeSteps(_ count: Int) { for _ in 0..<count { _ = takeStep() } }
}

/// Several players and what they share.
class Scene {
    private(set) var players: [Player] = []
    /// How many steps were taken.
    fileprivate(set) var clock = 0

    /// Those who can take a step; nil when nobody can.
    fileprivate var ready: [Player]? {
        if let player = players.first(where: { $0.isByItself }) { return [player] }
        let ready = players.filter { !$0.isDone }
        return ready.isEmpty ? nil : ready
    }

    /// A new player; it takes its steps whenever it can.
    func player(_ name: String) -> Player {
        players.append(Player(name))
        return players[players.count - 1]
    }

    /// What is wrong after any step.
    var complaint: String? { nil }

    /// What is wrong when all steps were taken.
    var complaintAtEnd: String? { nil }
}

/// What was wrong, and in which order of steps.
struct WrongOrder: Error, CustomStringConvertible {
    let complaint: String
    let steps: [String]

    var description: String { "\(complaint), after\n    " + steps.joined(separator: "\n    ") }
}

/// Tries all orders in which the players of a scene can take their steps, and says how many there are.
///
/// Depth first, each time with a new scene, so that nothing has to be copied or undone.
func everyOrder(of make: () throws -> Scene) throws -> Int {
    var choices: [(taken: Int, count: Int)] = []
    var orders = 0
    repeat {
        let scene = try make()
        var steps: [String] = []
        // Up to there it has been as the time before, and was checked then.
        let known = choices.count - 1
        func check(_ complaint: String?) throws {
            if let complaint { throw WrongOrder(complaint: complaint, steps: steps) }
        }
        var depth = 0
        while let ready = scene.ready {
            if ready.count > 1, depth == choices.count { choices.append((0, ready.count)) }
            let player = ready.count > 1 ? ready[choices[depth].taken] : ready[0]
            if ready.count > 1 { depth += 1 }
            steps.append(player.takeStep())
            scene.clock += 1
            if depth > known { try check(scene.complaint) }
            if steps.count > 500 { try check("there is no end") }
        }
        try check(scene.players.first { !$0.isDone }.map { "\($0.name) is stuck" })
        try check(scene.complaintAtEnd)
        orders += 1
        if orders > 20_000 { try check("there are more orders than can be tried") }
        while let last = choices.last, last.taken + 1 == last.count { choices.removeLast() }
        if let last = choices.last { choices[choices.count - 1].taken = last.taken + 1 }
    } while !choices.isEmpty
    return orders
}
