import Testing

/// The steps of the players of a scene, and the number of orders in which they can take them.
struct Story<Stage: Scene, Form: Sendable>: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let orders: Int
    let stage: @Sendable () -> Stage
    let play: @Sendable (Stage, Pick<Form>) -> Void

    /// Tries all orders for all picks, and returns their number.
    func tryEveryOrder() throws -> Int {
        let pick = Pick<Form>()
        var orders = 0
        repeat {
            orders += try everyOrder {
                pick.begin()
                let scene = stage()
                play(scene, pick)
                return scene
            }
        } while pick.goOn()
        return orders
    }
}

extension Story where Form == Never {
    /// A story without picks.
    init(
        _ name: String, orders: Int, on stage: @escaping @autoclosure @Sendable () -> Stage,
        _ play: @escaping @Sendable (Stage) -> Void
    ) {
        self.init(testDescription: name, orders: orders, stage: stage, play: { scene, _ in play(scene) })
    }
}

/// Picks one of several forms: a story is played with each of them.
final class Pick<Form> {
    private var picks: [(taken: Int, count: Int)] = []
    private var place = 0

    func callAsFunction(_ forms: Form...) -> Form { callAsFunction(forms) }

    func callAsFunction(_ forms: [Form]) -> Form { forms[number(upTo: forms.count - 1)] }

    /// Picks a number, beginning with 0.
    func number(upTo last: Int) -> Int {
        if place == picks.count { picks.append((0, last + 1)) }
        defer { place += 1 }
        return picks[place].taken
    }

    fileprivate func begin() { place = 0 }

    /// Goes on to the next picks; returns false after the last.
    fileprivate func goOn() -> Bool {
        while let last = picks.last, last.taken + 1 == last.count { picks.removeLast() }
        guard let last = picks.popLast() else { return false }
        picks.append((last.taken + 1, last.count))
        return true
    }
}

extension Scene {
    /// The player of that name.
    subscript(_ name: String) -> Player { players.first { $0.name == name } ?? player(name) }

    /// Lets a player take all its steps before the others begin.
    @discardableResult
    func before<Result>(_ play: (Player) -> Result) -> Result {
        let player = Player("before")
        defer { player.takeAllSteps() }
        return play(player)
    }
}
