/// Carries a Foundation object that is thread-safe but not marked `Sendable` on every platform.
struct Shared<Value>: @unchecked Sendable {
    // Sendable: only used for notification centers and their observers, which Foundation documents as thread-safe.
    let value: Value

    init(_ value: Value) { self.value = value }
}
