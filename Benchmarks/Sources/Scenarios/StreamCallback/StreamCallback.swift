/// Row 8: an element is delivered to one callback, which runs immediately.
enum StreamCallback {
    static let future = Scenario("emission.future") { futureStreams($0) }
    static let combine = Scenario("emission.combine") { subjects($0) }
}
