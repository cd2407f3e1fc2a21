/// A simulated thread of a scene, with its remaining steps.
///
/// A step is atomic for the other players: a critical section, an atomic operation, or code between two of these.
final class Player {
    let name: String
    private var steps: [(name: String, isOwn: Bool, run: () -> Void)] = []
    /// The position for the next step that follows from the running one.
    private var place = 0

    init(_ name: String) { self.name = name }

    var isDone: Bool { steps.isEmpty }

    /// Whether its next step does not affect other players.
    fileprivate var isByItself: Bool { steps.first?.isOwn ?? false }

    /// Adds a step after all others.
    func add(_ name: String, _ run: @escaping () -> Void) { steps.append((name, false, run)) }

    /// Adds a step that follows from the running one: after others of that kind, before all the rest.
    ///
    /// - Parameter isOwn: Whether the step and other players do not affect each other. Then it is taken as soon as
    ///   possible, and does not multiply the orders.
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

    /// Takes all steps before another player takes one.
    func takeAllSteps() { while !isDone { _ = takeStep() } }

    /// Takes a number of steps.
    func takeSteps(_ count: Int) { for _ in 0..<count { _ = takeStep() } }
}

/// Several players and their shared state.
class Scene {
    private(set) var players: [Player] = []
    /// How many steps have been taken.
    fileprivate(set) var clock = 0

    /// The players that can take a step; nil when there are none.
    fileprivate var ready: [Player]? {
        if let player = players.first(where: { $0.isByItself }) { return [player] }
        let ready = players.filter { !$0.isDone }
        return ready.isEmpty ? nil : ready
    }

    /// Adds a player, which takes its steps whenever it can.
    func player(_ name: String) -> Player {
        players.append(Player(name))
        return players[players.count - 1]
    }

    /// An error found after a step.
    var complaint: String? { nil }

    /// An error found after all steps.
    var complaintAtEnd: String? { nil }
}

/// An error and the order of steps that led to it.
struct WrongOrder: Error, CustomStringConvertible {
    let complaint: String
    let steps: [String]

    var description: String { "\(complaint), after\n    " + steps.joined(separator: "\n    ") }
}

/// Tries all orders in which the players of a scene can take their steps, and returns their number.
///
/// Depth first, with a new scene for each order, so that nothing has to be copied or undone.
func everyOrder(of make: () throws -> Scene) throws -> Int {
    var choices: [(taken: Int, count: Int)] = []
    var orders = 0
    repeat {
        let scene = try make()
        var steps: [String] = []
        // Up to here the order is the same as in the previous run, which was checked.
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
