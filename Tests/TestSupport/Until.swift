/// Lets other tasks run until a condition is true.
///
/// Also tasks of low priority, which would wait forever beside a task that only yields.
func until(_ isSo: () -> Bool) async {
    var turns = 0
    while !isSo() {
        turns += 1
        if turns < 100 { await Task.yield() } else { try? await Task.sleep(for: .milliseconds(1)) }
    }
}

/// The elements of a sequence up to its end.
func everything<Elements: AsyncSequence>(in elements: Elements) async throws(Elements.Failure) -> [Elements.Element] {
    var all: [Elements.Element] = []
    for try await element in elements { all.append(element) }
    return all
}
