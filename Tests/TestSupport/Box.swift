import SimpleFutures

/// A variable for any thread.
final class Box<Value>: Sendable {
    private let state: Lock<Value>

    init(_ value: Value) { state = Lock(value) }

    var value: Value {
        get { state.withLock { $0 } }
        set { state.exchange(newValue) }
    }

    /// Changes the value in one step.
    ///
    /// The closure must not release objects whose `deinit` has effects.
    @discardableResult
    func change<Result>(_ body: (inout Value) -> Result) -> Result { state.withLock(body) }
}

extension Box where Value: RangeReplaceableCollection, Value.Element: Sendable {
    func append(_ element: Value.Element) { change { $0.append(element) } }
}
