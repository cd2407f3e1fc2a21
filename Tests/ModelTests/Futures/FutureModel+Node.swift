extension FutureModel {
    final class Node {
        var end: End?
        var producers = 1
        var observers: [Observer] = []
        init() {}
    }

    /// Whatever waits for a future: a callback, a combinator.
    final class Observer {
        let kind: FutureProgram.Kind?
        let place: Place
        let token: Int?
        let target: Node?
        /// The step whose closure it holds.
        let holder: Int?
        var isAlive = true
        /// Whether it belongs to the library, and is nobody who waits.
        var isPlumbing = false
        /// What its code holds besides the target.
        var keeps: [Node] = []
        /// Whether its code belongs on its context, given the end.
        let needsPlace: (End) -> Bool
        let run: (End) -> Void

        init(
            _ kind: FutureProgram.Kind? = nil, on place: Place = .immediate, under token: Int?, target: Node? = nil,
            holder: Int? = nil, needsPlace: @escaping (End) -> Bool = { _ in true }, run: @escaping (End) -> Void
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

    /// A future that leaves its source when nobody waits for it and nobody holds it.
    struct Leaver {
        let target: Node
        let observers: [Observer]
        let timer: Int?
    }

    /// A task that awaits a future.
    struct Wait {
        let node: Node
        let observer: Observer
        /// What is cancelled with the task.
        let token: Int?
        let abandons: Bool
    }
}
