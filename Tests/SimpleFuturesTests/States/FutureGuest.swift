@testable import SimpleFutures
@testable import TestSupport

/// A registration with the future of a scene, and its results.
final class Guest: @unchecked Sendable {
    // Sendable: a scene is used by one thread.

    /// The form of the registration, which decides its path through the future's code.
    enum Form: CaseIterable {
        /// It cannot be removed; it is called on the thread that settles the future.
        case here
        /// The same, but on a queue.
        case onQueue
        /// It is called on the thread that settles the future, if it is not withdrawn before.
        case removable
        /// It is called on the thread that settles the future, unless its token detaches it.
        case underToken
        /// The same, but on a queue.
        case onQueueUnderToken
        case waker
        /// It waits for all of several futures.
        case gathering
        /// It waits for the first of several futures.
        case race

        var isUnderToken: Bool { self == .underToken || self == .onQueueUnderToken }
        var isOnQueue: Bool { self == .onQueue || self == .onQueueUnderToken }
        var isOfMany: Bool { self == .gathering || self == .race }
        /// Whether guests of this form are called in the order of their registration.
        var isInOrder: Bool { self != .waker && !isOfMany }
        var hasTarget: Bool { isInOrder }
    }

    let number: Int
    let form: Form
    let target = Future<Int>()
    /// The times when its registration began and when it returned.
    var began = 0
    var returned = Int.max
    /// The times when the future dispatched or called it, and the phases of the calls.
    var turns: [Int] = []
    var heard: [FuturePhase] = []
    var isWithdrawn = false
    var isRefused = false
    /// For a guest that waits for several futures: whether the others have completed it.
    var isOver = false
    weak var probe: Probe?
    /// For the players that withdraw it.
    weak var observer: Observer?

    // In its callback, in this order:

    /// The guest that it adds.
    var brings: Form?
    /// Its waits for other callbacks: how often each may go on before it is over.
    var waits: [Int] = []

    init(_ number: Int, _ form: Form) {
        self.number = number
        self.form = form
        // A producer that is never released, so that a lost completion is detected instead of breaking the target.
        _ = target.gainProducer()
    }

    var isReleased: Bool { probe == nil }

    /// Returns the phase of its target, or nil as long as it is unchanged.
    func outcome() -> FuturePhase? {
        if target.phase != .pending { return target.phase }
        return target.withState { $0.loseProducer() } ? .abandoned : nil
    }
}

/// The inputs of a future that depends on several ones, as seen by one of them.
final class GuestOfMany: Inputs, @unchecked Sendable {
    // Sendable: a scene is used by one thread.
    private weak var guest: Guest?
    private let probe: Probe
    private let arrival: (AnyFuture) -> Void

    init(_ guest: Guest, _ probe: Probe, _ arrival: @escaping (AnyFuture) -> Void) {
        self.guest = guest
        self.probe = probe
        self.arrival = arrival
        super.init()
    }

    override var isOver: Bool { guest?.isOver ?? true }

    override func arrive(_ source: AnyFuture, at index: Int) {
        probe.use()
        arrival(source)
    }
}

/// Carries a noncopyable value from one step to another.
final class Parcel<Value: ~Copyable> {
    private var value: Value?

    init(_ value: consuming Value) { self.value = consume value }

    func take() -> Value? { value.take() }
}
