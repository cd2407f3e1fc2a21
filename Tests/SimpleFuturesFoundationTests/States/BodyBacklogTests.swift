import Testing

@testable import SimpleFuturesFoundation
@testable import TestSupport

@Suite struct BodyBacklogTests {
    private enum Step {
        case add, remove
    }

    private func answers(to steps: [Step]) -> [Bool] {
        var backlog = BodyBacklog()
        return steps.map { $0 == .add ? backlog.add() : backlog.remove() }
    }

    @Test func `a consumer that keeps up never suspends the task`() {
        #expect(answers(to: [.add, .remove, .add, .remove]) == [false, false, false, false])
    }

    @Test func `a second piece suspends the task once, and it is resumed when all were emitted`() {
        #expect(
            answers(to: [.add, .add, .add, .remove, .remove, .remove]) == [false, true, false, false, false, true])
        #expect(
            answers(to: [.add, .add, .remove, .add, .remove, .remove]) == [false, true, false, false, false, true])
    }
}
