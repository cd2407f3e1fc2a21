import Dispatch
import SimpleFutures

/// Where the closures of a program run.
enum Place: Int, CaseIterable, Sendable {
    case immediate, queue, manual, crowd

    /// Whether its tasks run in order.
    var isSerial: Bool { self != .crowd }
}

/// The contexts of one run.
///
/// In a run on one thread the queues are suspended, so that programs decide when their tasks run.
final class Places: Sendable {
    let manual = ManualContext()
    private let queue = DispatchQueue(label: "model")
    private let crowd = DispatchQueue(label: "model.crowd", attributes: .concurrent)
    private let isHeld: Bool

    init(isHeld: Bool) {
        self.isHeld = isHeld
        if isHeld {
            queue.suspend()
            crowd.suspend()
        }
    }

    deinit {
        // A queue must not be released while it is suspended.
        if isHeld {
            queue.resume()
            crowd.resume()
        }
    }

    subscript(_ place: Place) -> any ExecutionContext {
        switch place {
        case .immediate: ImmediateContext()
        case .queue: queue
        case .manual: manual
        case .crowd: crowd
        }
    }

    /// Lets a context run its tasks, and further tasks that they add, in several rounds.
    func drain(_ place: Place, rounds: Int) {
        switch place {
        case .immediate: break
        case .manual: manual.run()
        case .queue: drain(queue, rounds)
        case .crowd: drain(crowd, rounds)
        }
    }

    /// Lets a context run the tasks that were added by Swift tasks after it was drained.
    func settle(after place: Place?) {
        if let place { drain(place, rounds: 1) }
    }

    /// Runs the tasks of all contexts, and advances the time.
    func settle() {
        drain(.queue, rounds: 1)
        drain(.crowd, rounds: 1)
        manual.advance(by: .seconds(1))
    }

    private func drain(_ queue: DispatchQueue, _ rounds: Int) {
        if isHeld { queue.resume() }
        for _ in 0..<rounds { queue.sync(flags: .barrier) {} }
        if isHeld { queue.suspend() }
    }
}
