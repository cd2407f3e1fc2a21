/// Lets others run until something is the case.
///
/// Those of low priority, too, which would wait for ever beside one that only yields.
func until(_ isSo: () -> Bool) async {
    var turns = 0
    while !isSo() {
        turns += 1
        if turns < 100 { await Task.yield() } else { try? await Task.sleep(for: .milliseconds(1)) }
    }
}
