import SimpleFutures

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

extension Box where Value: RangeReplaceableCollection, Value.Element: Sendable {
    func append(_ element: Value.Element) { change { $0.append(element) } }
}
