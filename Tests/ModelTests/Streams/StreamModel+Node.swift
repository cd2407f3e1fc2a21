extension StreamModel {
    final class Node {
        let capacity: Int
        /// The model treats a future as a stream of one element.
        let isFuture: Bool
        /// Whether it is a future that leaves its source, a stream, when it has no waiters and no holders.
        var leavesSource = false
        var history: [End] = []
        var end: End?
        var producers = 1
        var wasCancelled = false
        var subscribers: [Subscriber] = []
        /// Whether it had a subscriber that receives elements.
        var hadSubscriber = false
        /// The sources that emit into it.
        ///
        /// They are unsubscribed when it ends.
        var sources: [Subscriber] = []
        var atEnd: [() -> Void] = []

        init(capacity: Int, isFuture: Bool = false) {
            self.capacity = capacity
            self.isFuture = isFuture
        }
    }

    final class Subscriber {
        let stream: Node
        let place: Place
        let token: Int?
        let target: Node?
        let holder: Int?
        var isAlive = true
        /// Whether it receives elements, and not only the end.
        var wantsElements = true
        /// Elements and ends that the context has not delivered yet.
        var waiting: [End] = []
        let wants: (End) -> Bool
        let run: (End) -> Void

        init(
            to stream: Node, on place: Place = .immediate, under token: Int?, target: Node? = nil, holder: Int? = nil,
            wants: @escaping (End) -> Bool = { _ in true }, run: @escaping (End) -> Void
        ) {
            self.stream = stream
            self.place = place
            self.token = token
            self.target = target
            self.holder = holder
            self.wants = wants
            self.run = run
        }
    }

    /// Elements that wait.
    final class Parked {
        var elements: [End] = []

        init() {}

        func takeAll() -> [End] {
            defer { elements = [] }
            return elements
        }
    }
}
