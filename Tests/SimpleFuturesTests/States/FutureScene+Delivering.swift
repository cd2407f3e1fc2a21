@testable import SimpleFutures
@testable import TestSupport

// As in `AnyFuture+Delivering.swift`.

extension FutureScene {
    /// Delivers, as one who was told to, to the first callback if that was taken out already, then to the others.
    func deliver(_ player: Player, first: Parcel<Callback>? = nil, then end: @escaping () -> Void = {}) {
        guard let first else { return drain(player, .toAll, then: end) }
        player.next("call the first", isOwn: true) { [self] in run(player, first) }
        drain(player, .toAll, then: end)
    }

    /// A delivery under way.
    final class Course {
        var course = FutureState.Course()
        /// Whether it makes a break.
        var rests = false
    }

    private func isDone(_ player: Player) { deliverers.removeAll { $0 === player } }

    /// Delivers as far as may be; `later` is what is to be done when somebody is left.
    func drain(
        _ player: Player, _ delivering: FutureState.Delivering, later: (() -> Void)? = nil,
        course: Course = Course(), then end: @escaping () -> Void = {}
    ) {
        player.next("next, \(delivering)") { [self] in
            let next = future.withState { $0.next(delivering, &course.course, patience: patience) }
            if course.rests {
                course.rests = false
                resters -= 1
                if next.isIdle { return end() }
                deliverers.append(player)
            }
            let goOn = { [self] in drain(player, delivering, later: later, course: course, then: end) }
            switch consume next {
            case .idle:
                if delivering.ends { isDone(player) }
                return end()
            case .later: return (later ?? end)()
            case .takeBreak:
                isDone(player)
                course.rests = true
                resters += 1
                goOn()
            case .run(let callback):
                let callback = Parcel(callback)
                player.next("call", isOwn: true) { [self] in run(player, callback) }
                goOn()
            case .runClaimed(let observer):
                runClaimed(player, observer)
                goOn()
            case .handOver(let observer, _):
                if delivering == .aside {
                    // Under the lock.
                    handOver(observer)
                } else {
                    player.next("hand over") { [self] in handOver(observer) }
                }
                goOn()
            }
        }
    }

    private func runClaimed(_ player: Player, _ observer: Observer) {
        player.next("claim", isOwn: observer.link == nil) { [self] in
            if observer.kind == .waker {
                observer.asWaker.wake()
            } else if observer.claim(), let callback = observer.take() {
                let callback = Parcel(callback)
                player.next("call", isOwn: true) { [self] in run(player, callback) }
            }
        }
    }

    private func handOver(_ observer: Observer) {
        guests.first { $0.observer === observer }?.turns.append(clock)
        // The context may drop its task: then the real thing is dropped.
        var handOver: HandOver? = dropsTasks ? HandOver(observer, of: future) : nil
        if handOver != nil { return queue.add("drop") { handOver = nil } }
        if arrivesAtEnd { return late.append(observer) }
        queue.add("arrive") { [self] in
            guard future.arrive(observer) else { return }
            runClaimed(queue, observer)
        }
    }

    /// The queue gets round to those who were handed over.
    func arriveLate() {
        for observer in late where future.arrive(observer) && observer.claim() {
            if let callback = observer.take() { run(queue, Parcel(callback)) }
        }
        late = []
    }

    private func run(_ player: Player, _ parcel: Parcel<Callback>) {
        guard let callback = parcel.take() else { return }
        caller = player
        defer { caller = nil }
        if callback.kind.isOfMany {
            callback.inputs.arrive(future, at: Int(callback.index))
        } else {
            future.deliver(callback.kind, to: callback.target, callback.body, future.phase)
        }
    }
}

extension FutureState.Next {
    fileprivate var isIdle: Bool {
        switch self {
        case .idle: true
        default: false
        }
    }
}
