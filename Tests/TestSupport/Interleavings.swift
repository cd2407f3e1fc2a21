/// A simulated thread of a scene, with its remaining steps.
///
/// A step is atomic for the other players: a critical section, an atomic operation, or code between two of these.
final class Player {
    let name: String
    private var steps: [(name: () -> String, isOwn: Bool, run: () -> Void)] = []
    /// The position for the next step that follows from the running one.
    private var place = 0

    init(_ name: String) { self.name = name }

    var isDone: Bool { steps.isEmpty }

    /// Whether its next step does not affect other players.
    fileprivate var isByItself: Bool { steps.first?.isOwn ?? false }

    /// Adds a step after all others.
    func add(_ name: @escaping @autoclosure () -> String, _ run: @escaping () -> Void) {
        steps.append((name, false, run))
    }

    /// Adds a step that follows from the running one: after others of that kind, before all the rest.
    ///
    /// - Parameter isOwn: Whether the step and other players do not affect each other. Then it is taken as soon as
    ///   possible, and does not multiply the orders.
    func next(_ name: @escaping @autoclosure () -> String, isOwn: Bool = false, _ run: @escaping () -> Void) {
        steps.insert((name, isOwn, run), at: place)
        place += 1
    }

    /// Returns the name of the step, as a closure: only an error needs the text, and making it takes longer than the step.
    @discardableResult
    fileprivate func takeStep() -> () -> String {
        place = 0
        let step = steps.removeFirst()
        step.run()
        return step.name
    }

    /// Takes all steps before another player takes one.
    func takeAllSteps() { while !isDone { takeStep() } }

    /// Takes a number of steps.
    func takeSteps(_ count: Int) { for _ in 0..<count { takeStep() } }
}

/// Several players and their shared state.
class Scene {
    private(set) var players: [Player] = []
    /// How many steps have been taken.
    fileprivate(set) var clock = 0

    /// The players that can take a step; only one if its step does not affect the others.
    fileprivate var ready: [Player] {
        var ready: [Player] = []
        for player in players where !player.isDone {
            if player.isByItself { return [player] }
            ready.append(player)
        }
        return ready
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
        var steps: [(player: Player, name: () -> String)] = []
        // Up to here the order is the same as in the previous run, which was checked.
        let known = choices.count - 1
        func check(_ complaint: String?) throws {
            guard let complaint else { return }
            throw WrongOrder(complaint: complaint, steps: steps.map { "\($0.player.name): \($0.name())" })
        }
        var depth = 0
        while true {
            let ready = scene.ready
            guard var player = ready.first else { break }
            if ready.count > 1 {
                if depth == choices.count { choices.append((0, ready.count)) }
                player = ready[choices[depth].taken]
                depth += 1
            }
            steps.append((player, player.takeStep()))
            scene.clock += 1
            if depth > known { try check(scene.complaint) }
            if steps.count > 500 { try check("there is no end") }
        }
        try check(scene.players.first { !$0.isDone }.map { "\($0.name) is stuck" })
        try check(scene.complaintAtEnd)
        orders += 1
        if orders > 40_000 { try check("there are more orders than can be tried") }
        while let last = choices.last, last.taken + 1 == last.count { choices.removeLast() }
        if let last = choices.last { choices[choices.count - 1].taken = last.taken + 1 }
    } while !choices.isEmpty
    return orders
}
