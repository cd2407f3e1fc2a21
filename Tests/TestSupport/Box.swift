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

extension Box where Value == Int {
    func increment() { change { $0 += 1 } }
}

/// Entries from any thread, in the order in which they were added.
final class Log<Entry: Sendable>: Sendable {
    private let entries = Lock<[Entry]>([])

    init() {}

    var all: [Entry] { entries.withLock { $0 } }

    // Not of `all`: the next entry would copy the array.
    var count: Int { entries.withLock { $0.count } }
    var last: Entry? { entries.withLock { $0.last } }

    func add(_ entry: Entry) { entries.withLock { $0.append(entry) } }
}
