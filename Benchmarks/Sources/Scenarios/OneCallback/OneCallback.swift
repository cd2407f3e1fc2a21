/// Row 1: a pending future is made, one callback is registered on it, it is completed, the callback runs, all is
/// released.
enum OneCallback {
    static let future = Scenario("callback.future") { futures($0) }
    static let promise = Scenario("callback.promise") { promises($0) }
    static let nio = Scenario("callback.nio") { nioPromises($0) }
}
