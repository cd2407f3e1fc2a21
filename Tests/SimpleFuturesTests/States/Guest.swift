@testable import SimpleFutures
@testable import TestSupport

/// One who waits for a future of a scene, and what has become of it.
final class Guest: @unchecked Sendable {
    // Sendable: a scene is one thread's.

    /// In which form it waits, and so by which way it comes to the future.
    enum Form: CaseIterable {
        /// Nothing can remove it; it is told where the future is settled.
        case here
        /// The same, on a queue.
        case onQueue
        /// It is told where the future is settled, if it is not withdrawn before.
        case removable
        /// It is told where the future is settled, unless its token detaches it.
        case underToken
        /// The same, on a queue.
        case onQueueUnderToken
        case waker
        /// It waits for all of many futures.
        case gathering
        /// It waits for the first of many futures.
        case race

        var isUnderToken: Bool { self == .underToken || self == .onQueueUnderToken }
        var isOnQueue: Bool { self == .onQueue || self == .onQueueUnderToken }
        var isOfMany: Bool { self == .gathering || self == .race }
        /// Whether it is told in the order in which such guests have come.
        var isInOrder: Bool { self != .waker && !isOfMany }
        var hasTarget: Bool { isInOrder }
    }

    let number: Int
    let form: Form
    let target = Future<Int>()
    /// When its registration has begun, and when it has come back.
    var began = 0
    var returned = Int.max
    /// When the future has handed it over or called it, and in which phase it was called.
    var turns: [Int] = []
    var heard: [FuturePhase] = []
    var isClaimed = false
    var isWithdrawn = false
    var isRefused = false
    /// Of one who waits for many: whether it has got what it wanted elsewhere.
    var isOver = false
    /// Whether its callback waits for the others.
    var waits = false
    weak var probe: Probe?
    /// For those who withdraw it.
    weak var observer: Observer?

    init(_ number: Int, _ form: Form) {
        self.number = number
        self.form = form
        // So that to lose one is seen, and breaks nothing.
        _ = target.gainProducer()
    }

    var isReleased: Bool { probe == nil }

    /// What its target has come to; nil as long as it is as it was.
    func outcome() -> FuturePhase? {
        if target.phase != .pending { return target.phase }
        return target.withState { $0.loseProducer() } ? .abandoned : nil
    }
}

/// A future's many inputs, as far as one of them is concerned.
final class GuestOfMany: Inputs, @unchecked Sendable {
    // Sendable: a scene is one thread's.
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

/// Carries something that cannot be copied from one step to another.
final class Parcel<Value: ~Copyable> {
    private var value: Value?

    init(_ value: consuming Value) { self.value = consume value }

    func take() -> Value? { value.take() }
}
