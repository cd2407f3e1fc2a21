import SimpleFutures

extension Box where Value == Int {
    func increment() { change { $0 += 1 } }
}

/// Runs a closure when it is released.
final class AtDeinit: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    deinit { body() }

    /// Keeps the optimizer from releasing the object before this call.
    func use() {}
}

struct Failure: Error, Equatable {
    var id = 0
}
