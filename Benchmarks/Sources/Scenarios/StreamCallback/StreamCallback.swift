/// Row 8: an element is delivered to callbacks, which run immediately: to one, to four, or to one behind two operators.
enum StreamCallback {
    static let future = Scenario("emission.future") { futureStreams($0) }
    static let combine = Scenario("emission.combine") { subjects($0) }
    static let fourFuture = Scenario("emission.four.future") { futureStreams($0, callbacks: 4) }
    static let fourCombine = Scenario("emission.four.combine") { subjects($0, sinks: 4) }
    static let operatorsFuture = Scenario("operators.future") { mappedStreams($0) }
    static let operatorsCombine = Scenario("operators.combine") { mappedSubjects($0) }
}
