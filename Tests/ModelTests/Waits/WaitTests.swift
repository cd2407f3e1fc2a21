import Testing
@testable import TestSupport

// Callbacks act at random: they emit, finish, complete, fail, register, derive, cancel, wait, run event loops and
// release contexts, some of which drop tasks. The order is not predicted, but promises 1, 3, 4, 8 and 11 hold in each:
// callbacks and elements are neither lost nor run twice, nor after a cancellation, nor off their context.

@Suite("Random callbacks that wait", .watchdog)
struct WaitTests {
    @Test(arguments: [1, 3])
    func `each callback runs once, and each element comes once and in order, on its context`(threadCount: Int) async {
        let count = UInt64((threadCount == 1 ? 300 : 100) * Settings.factor)
        let complaint = await onThread { () -> Complaint? in
            for number in 1...count {
                // A given seed runs as often as all: time limits are real, so another run may have another outcome.
                let seed = Settings.seed ?? number
                guard let complaint = Self.complaint(seed, threadCount) else { continue }
                return "SIMPLEFUTURES_SEED=\(seed): \(complaint)"
            }
            return nil
        }
        #expect(complaint == nil)
    }

    private static func complaint(_ seed: UInt64, _ threadCount: Int) -> Complaint? {
        let scene = WaitScene(seed, threadCount)
        weak let remains = scene
        let complaint = scene.run()
        _ = consume scene
        return complaint ?? (remains == nil ? nil : "a callback was not released")
    }
}
