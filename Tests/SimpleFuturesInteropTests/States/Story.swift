import Testing
@testable import TestSupport

/// What the players of a scene do, and in how many orders they can do it.
struct Story<Stage: Scene>: Sendable, CustomTestStringConvertible {
    let name: String
    let orders: Int
    let play: @Sendable (Stage) -> Void

    var testDescription: String { name }

    func expectOrders(of makeScene: () -> Stage) throws {
        let count = try everyOrder {
            let scene = makeScene()
            play(scene)
            return scene
        }
        #expect(count == orders)
    }
}
