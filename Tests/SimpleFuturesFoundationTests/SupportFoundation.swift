import Foundation
import SimpleFutures

struct Failure: Error, Equatable {}

/// A variable that any thread may use.
final class Box<Value>: Sendable {
    private let state: Lock<Value>

    init(_ value: Value) { state = Lock(value) }

    var value: Value {
        get { state.withLock { $0 } }
        set { state.exchange(newValue) }
    }

    /// Changes the value in one step; the closure must not release anything of consequence.
    @discardableResult
    func change<Result>(_ body: (inout Value) -> Result) -> Result { state.withLock(body) }
}

extension Box where Value: RangeReplaceableCollection {
    func add(_ element: Value.Element) { change { $0.append(element) } }
}

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

/// Opened once; whoever comes before waits.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func open() { semaphore.signal() }

    func pass() {
        semaphore.wait()
        semaphore.signal()
    }
}

/// Something that is captured, to see whether what has captured it is released.
final class Probe: Sendable {
    func touch() {}
}
