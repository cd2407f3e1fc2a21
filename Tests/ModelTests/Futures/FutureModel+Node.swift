extension FutureModel {
    final class Node {
        var end: End?
        var producers = 1
        var observers: [Observer] = []
        init() {}
    }

    /// A registration on a future: a callback or a combinator.
    final class Observer {
        let kind: FutureProgram.Kind?
        let place: Place
        let token: Int?
        let target: Node?
        /// The step whose closure it holds.
        let holder: Int?
        var isAlive = true
        /// Whether it belongs to the library, so that it does not count as a waiter.
        var isPlumbing = false
        /// Other futures that its code holds besides the target.
        var keeps: [Node] = []
        /// Whether its code runs on its context, given the end.
        let needsPlace: (End) -> Bool
        let run: (End) -> Void

        init(
            _ kind: FutureProgram.Kind? = nil, on place: Place = .immediate, under token: Int?, target: Node? = nil,
            holder: Int? = nil, needsPlace: @escaping (End) -> Bool = { $0 != .cancelled }, run: @escaping (End) -> Void
        ) {
            self.kind = kind
            self.place = place
            self.token = token
            self.target = target
            self.holder = holder
            self.needsPlace = needsPlace
            self.run = run
        }
    }

    /// A future that leaves its source when it has no waiters and no holders.
    struct Leaver {
        let target: Node
        let observers: [Observer]
        let timer: Int?
    }

    /// A task that awaits a future.
    struct Wait {
        let node: Node
        let observer: Observer
        /// The token that is canceled with the task.
        let token: Int?
        let abandons: Bool
    }
}
