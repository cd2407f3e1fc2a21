import Dispatch

@testable import SimpleFutures
@testable import TestSupport

/// One who has subscribed to a stream of a scene, and what it has heard.
final class StreamGuest: @unchecked Sendable {
    // Sendable: a scene is one thread's.

    /// Where it is called.
    enum Form: CaseIterable {
        case sink
        case here
        case onQueue
        /// It asks for the end alone.
        case watcher

        var route: _Route { self == .onQueue ? .queue(Self.dispatchQueue) : .immediate }
        var key: StreamLane.Key { self == .sink ? .sink : StreamLane.Key(route) }

        private static let dispatchQueue = DispatchQueue(label: "StreamGuest")
    }

    let number: Int
    let form: Form
    var subscriber: Subscriber?
    weak var probe: Probe?
    /// The elements that it has heard, and the end.
    var heard: [Int] = []
    var ends: [StreamSignal] = []
    /// The first element that it is to hear; nil until it has come.
    var first: Int?
    var isRemoved = false
    var isRefused = false
    /// How often it waits, in its first callback, for what others are to hear.
    var waits = 0

    init(_ number: Int, _ form: Form) {
        self.number = number
        self.form = form
    }

    func makeSubscriber() -> Subscriber {
        let probe = Probe()
        self.probe = probe
        let interest: StreamInterest = form == .watcher ? [.finish, .cancellation] : .everything
        let subscriber = Subscriber(interest) { [unowned self] event, _ in
            probe.use()
            for index in 0..<event.count { heard.append(event.raw(index).load(as: Int.self)) }
            if event.count == 0 { ends.append(event.signal) }
        }
        self.subscriber = subscriber
        return subscriber
    }
}
