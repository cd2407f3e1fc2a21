import SimpleFutures
import Testing

@testable import SimpleFuturesInterop
@testable import TestSupport

// Each function of these types is one critical section, followed by a notification outside of it.

@Suite("Calls, tasks and arrivals: every order of calls", .watchdog)
struct CallStateTests {
    @Test func `a handle is canceled once if the token was first, whenever it is stored`() throws {
        let orders = try everyOrder {
            let scene = CallScene()
            scene.player("method").add("store") { scene.store() }
            for name in ["one", "two"] { scene.player(name).add("cancel") { scene.cancel() } }
            scene.player("answer").add("end") { scene.end() }
            return scene
        }
        #expect(orders == 24)
    }

    @Test func `a task is canceled with its token unless it has ended, and the token releases it`() throws {
        let orders = try everyOrder {
            let scene = TaskScene()
            let maker = scene.player("maker")
            maker.add("link") { scene.link = TaskLink.link(under: scene.token) }
            maker.add("run") { scene.link?.run(scene.task) }
            scene.player("worker").add("end") { scene.end() }
            let canceller = scene.player("canceller")
            canceller.add("flip") {
                scene.token.cancel { handlers in canceller.next("run the handlers", handlers) }
            }
            return scene
        }
        #expect(orders == 30)
    }

    @Test(arguments: [false, true])
    func `each future is taken once, in the order of completion`(takesOpen: Bool) throws {
        let orders = try everyOrder {
            let scene = ArrivalScene()
            for index in 0..<2 { scene.player("future \(index)").add("end") { scene.arrive(index) } }
            scene.takesNext(scene.player("one"), takesOpen)
            scene.takesNext(scene.player("two"), false)
            return scene
        }
        #expect(orders == (takesOpen ? 352 : 480))
    }
}

private final class CallScene: Scene, @unchecked Sendable {
    // Sendable: a scene is used by one thread.
    private let handle = CallHandle()
    private var calls: [String] = []
    private var cancellations = 0

    func store() {
        calls.append("store")
        handle.store(CancelAction { [weak self] in self?.cancellations += 1 })
    }

    func cancel() {
        calls.append("cancel")
        handle.cancel()
    }

    func end() {
        calls.append("end")
        handle.end()
    }

    override var complaint: String? {
        let untilEnd = calls.prefix { $0 != "end" }
        let expected = untilEnd.contains("store") && untilEnd.contains("cancel") ? 1 : 0
        return cancellations == expected ? nil : "it was cancelled \(cancellations) times after \(calls)"
    }
}

private final class TaskScene: Scene {
    let token = CancelToken()
    let task = Task<Void, Never> {}
    var link: TaskLink?
    private var hasEnded = false
    private var wasCancelledAtEnd = false

    func end() {
        guard let link else { return }
        hasEnded = true
        link.end()
        wasCancelledAtEnd = task.isCancelled
    }

    override var complaint: String? {
        if task.isCancelled, !token.isCancelled { return "the task was cancelled without a cause" }
        if hasEnded, token.registrationCount > 0 { return "the token keeps the link" }
        if hasEnded, task.isCancelled, !wasCancelledAtEnd { return "the task was cancelled after its end" }
        return nil
    }

    override var complaintAtEnd: String? {
        if !hasEnded, !task.isCancelled { return "the task was not cancelled" }
        return token.registrationCount == 0 ? nil : "the token keeps the link"
    }
}

private final class ArrivalScene: Scene {
    private let order = CompletionOrder(count: 2)
    private var arrived: [Int] = []
    private var taken: [Int] = []
    private var ends = 0
    private var waiting = 0

    func arrive(_ index: Int) {
        if !taken.contains(index) { arrived.append(index) }
        order.arrive(index)
    }

    func takesNext(_ player: Player, _ takesOpen: Bool) {
        player.add("take") { [self] in
            switch order.next(orElse: takesOpen) {
            case .index(let index):
                taken.append(index)
                takesNext(player, takesOpen)
            case .end: ends += 1
            case .wait(let bell):
                waiting += 1
                nonisolated(unsafe) let scene = self
                nonisolated(unsafe) let player = player
                bell.observe(.plumbing) { _, _ in
                    scene.waiting -= 1
                    scene.takesNext(player, takesOpen)
                }
            }
        }
    }

    override var complaint: String? {
        if Set(taken).count != taken.count { return "\(taken) were taken" }
        if waiting > 0, arrived.contains(where: { !taken.contains($0) }), players.allSatisfy({ $0.isDone }) {
            return "one waits, and there is something"
        }
        let inOrder = taken.filter { arrived.contains($0) }
        return inOrder == arrived.filter { taken.contains($0) } ? nil : "\(taken) were taken, \(arrived) had ended"
    }

    override var complaintAtEnd: String? {
        taken.count == 2 && ends + waiting == 2 && waiting == 0 ? nil : "\(taken) taken, \(waiting) wait forever"
    }
}
