import CHeap
import Scenarios

/// Returns the bytes that one pending object takes, including the allocator's headers and padding.
func bytesHeld(_ scenario: HeldScenario) -> Double {
    let count = 100_000
    var held: [Held] = []
    // The array's capacity and all one-time objects are allocated before the first count.
    held.reserveCapacity(count)
    scenario.build(1_000, &held)
    held.removeAll(keepingCapacity: true)

    let before = heap_bytes_in_use()
    scenario.build(count, &held)
    let after = heap_bytes_in_use()
    return withExtendedLifetime(held) { Double(after) - Double(before) } / Double(count)
}
