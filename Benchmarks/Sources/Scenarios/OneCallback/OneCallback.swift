/// Row 1: make a pending future, register one callback, complete it, run the callback, release all.
enum OneCallback {
    static let future = Scenario("callback.future") { futures($0) }
    static let promise = Scenario("callback.promise") { promises($0) }
    static let nio = Scenario("callback.nio") { nioPromises($0) }
}
