/// Carries something of Foundation's that may be used from several threads, but is not marked so on every platform.
struct Shared<Value>: @unchecked Sendable {
    // Sendable, because it is made for notification centers and their observers alone, which Foundation documents as
    // safe to use from any thread.
    let value: Value

    init(_ value: Value) { self.value = value }
}
