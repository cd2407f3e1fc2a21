extension StreamModel {
    final class Node {
        let capacity: Int
        var history: [End] = []
        var end: End?
        var producers: Int
        var wasCancelled = false
        var subscribers: [Subscriber] = []
        /// What emits into it, and is cut off when it ends.
        var sources: [Subscriber] = []

        init(capacity: Int, producers: Int = 1) {
            self.capacity = capacity
            self.producers = producers
        }
    }

    final class Subscriber {
        let stream: Node
        let place: Place
        let token: Int?
        let target: Node?
        let holder: Int?
        var isAlive = true
        /// Elements and ends whose time on the context has not come.
        var waiting: [End] = []
        let wants: (End) -> Bool
        let run: (End) -> Void

        init(
            to stream: Node, on place: Place = .immediate, under token: Int?, target: Node? = nil, holder: Int? = nil,
            wants: @escaping (End) -> Bool, run: @escaping (End) -> Void
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
}
