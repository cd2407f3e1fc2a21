/// Row 2: one link of a chain of ten `map` links, built on a pending future that is then completed.
///
/// A tenth of making and completing the future at the head is in it, for ours and for the peer's.
enum MapLink {
    static let length = 10

    static let future = Scenario("map.future") { futures($0) }
    static let nio = Scenario("map.nio") { nioPromises($0) }
}
