import SimpleFutures
import Testing

@testable import SimpleFuturesInterop
@testable import TestSupport

@Suite("FIFO async mutex: every order of steps", .watchdog)
struct TurnstileQueueTests {
    @Test(arguments: stories)
    func `one at a time is inside, each enters in turn or is canceled`(_ story: Story<TurnstileScene, Never>) throws {
        #expect(try story.tryEveryOrder() == story.orders)
    }

    @Test func `canceling and serving n waiters takes time proportional to n`() {
        ManyWaiters().expectLinearCost(underStress: 4)
    }
}

/// The newer half of the waiters is canceled, the last one first; the others enter.
private struct ManyWaiters: LinearWork {
    let size = 2_000

    func run(_ count: Int) {
        let turn = _LockedObject()
        var queue = TurnstileQueue<Int>()
        _ = turn.exchange(.free, for: .taken)
        for number in 0..<count { _ = queue.join(number, queue.newNumber(), turn) }
        for number in ((count / 2 + 1)...count).reversed() { _ = queue.cancel(number) }
        while queue.next(turn) != nil {}
    }
}

private let stories: [Story<TurnstileScene, Never>] = [
    .init("three threads enter", orders: 1_314, on: TurnstileScene()) { scene in
        for name in ["one", "two", "three"] { scene.enters(name) }
    },
    .init("two threads enter, and one of them is canceled", orders: 96, on: TurnstileScene()) { scene in
        scene.enters("one")
        scene.cancels("canceller", scene.enters("two"))
    },
    .init("one thread is inside and two wait, and one of these is canceled", orders: 991, on: TurnstileScene()) {
        scene in
        scene.isEntered("inside")
        let two = scene.enters("two", isAtQueue: true)
        scene.enters("three", isAtQueue: true)
        scene.cancels("canceller", two)
    },
]

/// A mutex and the tasks that want to enter, in the steps of `Turnstile`.
final class TurnstileScene: Scene {
    /// A task that wants to enter.
    final class Visitor {
        let player: Player
        var number: Int?
        /// Whether it will be canceled.
        ///
        /// That happens only while it waits.
        var isCancelled = false
        var isWaiting = false
        var hasLeft = false
        var answer: Bool?
        /// When it joined the queue.
        var joined: Int?

        init(_ player: Player) { self.player = player }
    }

    private var queue = TurnstileQueue<Visitor>()
    private let turn = _LockedObject()
    private var visitors: [Visitor] = []
    private var inside: [Visitor] = []
    private var entered: [Visitor] = []

    @discardableResult
    func enters(_ name: String, isAtQueue: Bool = false) -> Visitor {
        let visitor = Visitor(player(name))
        visitors.append(visitor)
        visitor.player.add("try to enter") { [self] in
            if turn.exchange(.free, for: .taken) { return isInside(visitor) }
            visitor.player.next("take a number") { [self] in
                visitor.number = queue.newNumber()
                // For a task that is already canceled, the runtime calls the handler before the body.
                if visitor.isCancelled { leaveQueue(visitor.player, visitor) }
                visitor.isWaiting = true
                visitor.player.next("join") { [self] in
                    guard let answer = queue.join(visitor, visitor.number ?? 0, turn) else {
                        visitor.joined = clock
                        return
                    }
                    hears(visitor, answer, visitor.player)
                }
            }
        }
        if isAtQueue { visitor.player.takeSteps(2) }
        return visitor
    }

    func isEntered(_ name: String) {
        let visitor = Visitor(player(name))
        visitors.append(visitor)
        if turn.exchange(.free, for: .taken) { isInside(visitor) }
    }

    func cancels(_ name: String, _ visitor: Visitor) {
        let player = player(name)
        player.add("cancel") { [self] in
            visitor.isCancelled = true
            if visitor.isWaiting { leaveQueue(player, visitor) }
        }
    }

    private func leaveQueue(_ player: Player, _ visitor: Visitor) {
        player.next("leave the queue") { [self] in
            if let number = visitor.number, let waiter = queue.cancel(number) { hears(waiter, false, player) }
            visitor.hasLeft = true
            // It may come after the answer: the runtime waits for it before the task continues.
            if visitor.answer != nil { queue.forget(visitor.number ?? 0) }
        }
    }

    /// The continuation is resumed.
    private func hears(_ visitor: Visitor, _ answer: Bool, _ player: Player) {
        if visitor.answer != nil { inside += [visitor, visitor] }
        visitor.answer = answer
        visitor.isWaiting = false
        visitor.player.add("go on") { [self] in
            queue.forget(visitor.number ?? 0)
            if answer { isInside(visitor) }
        }
    }

    private func isInside(_ visitor: Visitor) {
        inside.append(visitor)
        entered.append(visitor)
        visitor.player.add("leave") { [self] in
            inside.removeAll { $0 === visitor }
            guard !turn.exchange(.taken, for: .free) else { return }
            visitor.player.next("let the next one in") { [self] in
                if let next = queue.next(turn) { hears(next, true, visitor.player) }
            }
        }
    }

    override var complaint: String? {
        if let visitor = visitors.first(where: { $0.hasLeft && $0.joined != nil && $0.answer == nil }) {
            return "\(visitor.player.name) was cancelled, and waits on"
        }
        return inside.count > 1 ? "\(inside.map(\.player.name)) are inside" : nil
    }

    override var complaintAtEnd: String? {
        for visitor in visitors {
            let hasEntered = entered.contains { $0 === visitor }
            if !hasEntered, !visitor.isCancelled { return "\(visitor.player.name) waits forever" }
            if !hasEntered, visitor.number != nil, visitor.answer != false {
                return "\(visitor.player.name) has no answer"
            }
        }
        let order = entered.compactMap(\.joined)
        if order != order.sorted() { return "they came in the order \(order)" }
        if queue.count > 0 { return "\(queue.count) are left" }
        return turn.exchange(.free, for: .taken) ? nil : "the mutex stays taken"
    }
}
