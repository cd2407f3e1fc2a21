/// Row 8: an element goes to one callback, which runs at once.
enum StreamCallback {
    static let future = Scenario("emission.future") { futureStreams($0) }
    static let combine = Scenario("emission.combine") { subjects($0) }
}
