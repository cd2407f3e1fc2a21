import Dispatch

@testable import SimpleFutures
@testable import TestSupport

/// A subscriber to the stream of a scene, and its calls.
final class StreamGuest: @unchecked Sendable {
    // Sendable: a scene is used by one thread.

    /// The context of its calls.
    enum Form: CaseIterable {
        case sink
        case here
        case onQueue
        /// It subscribes to the end only.
        case watcher

        var route: _Route { self == .onQueue ? .queue(Self.dispatchQueue) : .immediate }
        var key: MailboxKey { self == .sink ? .sink : MailboxKey(route) }

        private static let dispatchQueue = DispatchQueue(label: "StreamGuest")
    }

    let number: Int
    let form: Form
    var subscriber: Subscriber?
    weak var probe: Probe?
    /// The received elements and ends.
    var heard: [Int] = []
    var ends: [StreamSignal] = []
    /// The first element that it must receive; nil until it has subscribed.
    var first: Int?
    var isRemoved = false
    var isRefused = false
    /// The number of times that its first callback waits for other subscribers.
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
