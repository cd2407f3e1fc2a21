import CHeap
import Scenarios

/// The bytes that one of them takes while it is pending, as the allocator counts: with its headers and padding.
func bytesHeld(_ scenario: HeldScenario) -> Double {
    let count = 100_000
    var held: [Held] = []
    // The array has its room, and everything that is made once is made, before the first count is taken.
    held.reserveCapacity(count)
    scenario.build(1_000, &held)
    held.removeAll(keepingCapacity: true)

    let before = heap_bytes_in_use()
    scenario.build(count, &held)
    let after = heap_bytes_in_use()
    return withExtendedLifetime(held) { Double(after) - Double(before) } / Double(count)
}
