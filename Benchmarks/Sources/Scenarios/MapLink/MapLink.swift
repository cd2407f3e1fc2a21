/// Row 2: one link of a chain of ten `map` links, built on a pending future that is then completed.
///
/// For SimpleFutures and the peer, this includes a tenth of making and completing the first future.
enum MapLink {
    static let length = 10

    static let future = Scenario("map.future") { futures($0) }
    static let nio = Scenario("map.nio") { nioPromises($0) }
}
