import SimpleFutures
import Testing

@testable import SimpleFuturesInterop
@testable import TestSupport

@Suite("Inbox: every order of steps", .watchdog)
struct InboxStateTests {
    @Test(
        arguments: [
            (StreamBufferingPolicy.unbounded, 241, 407), (.newest(1), 241, 407), (.oldest(1), 241, 407),
            (.failing(1), 150, 311), (.reportingLag(1), 323, 482),
        ])
    func `one thread emits, another one reads, and a third one may cancel the reader`(
        policy: StreamBufferingPolicy, count: Int, countWithCanceller: Int
    ) async throws {
        let orders = try await everyOrder(policy) { scene in
            scene.emits([1, 2, 1])
            scene.takes()
        }
        #expect(orders == count)
        let ordersWithCanceller = try await everyOrder(policy) { scene in
            scene.emits([2])
            scene.takes()
            scene.cancels()
        }
        #expect(ordersWithCanceller == countWithCanceller)
    }
}

/// Passes the scenes a continuation to park, which they never resume: the state only stores and returns it.
private func everyOrder(_ policy: StreamBufferingPolicy, _ arrange: (InboxScene) -> Void) async throws -> Int {
    var result: Result<Int, any Error>?
    await withUnsafeContinuation { continuation in
        result = Result {
            try everyOrder {
                let scene = InboxScene(policy, continuation)
                arrange(scene)
                return scene
            }
        }
        continuation.resume()
    }
    return try #require(result).get()
}

/// A buffer with an emitter and a reader, in the steps of `StreamInbox` and `StreamReader`.
final class InboxScene: Scene {
    private var state: InboxState
    private let continuation: UnsafeContinuation<Void, Never>
    private var buffer: [Int] = []
    private lazy var consumer = player("consumer")

    private var emitted = 0
    private var taken: [Int] = []
    private var lost = 0
    private var isTaskCancelled = false
    private var isParked = false
    private var hasEnded = false
    private var wasTooSmall = false
    private var resumptions = 0

    init(_ policy: StreamBufferingPolicy, _ continuation: UnsafeContinuation<Void, Never>) {
        state = InboxState(policy)
        self.continuation = continuation
    }

    private func resume(_ waiter: UnsafeContinuation<Void, Never>?, _ player: Player) {
        guard waiter != nil else { return }
        resumptions += 1
        player.next("resume") { [self] in
            resumptions -= 1
            isParked = false
            loop()
        }
    }

    // MARK: The emitter

    func emits(_ counts: [Int]) {
        let player = player("producer")
        for count in counts {
            player.add("emit \(count)") { [self] in
                let admission = state.admit(count)
                buffer.removeFirst(admission.evicted)
                buffer += admission.appended.map { emitted + $0 }
                emitted += count
                resume(state.wake(), player)
            }
        }
        player.add("end") { [self] in
            state.end(with: .finish)
            resume(state.wake(), player)
        }
    }

    // MARK: The reader

    func takes() { loop() }

    func cancels() {
        let player = player("canceller")
        player.add("cancel the task") { [self] in
            isTaskCancelled = true
            player.next("cancel the wait") { [self] in resume(state.cancel(), player) }
        }
    }

    private func loop() {
        consumer.add("next") { [self] in
            guard !isTaskCancelled else { return close() }
            switch state.next(throwing: false) {
            case .all:
                taken += buffer
                buffer = []
                loop()
            case .first:
                taken.append(buffer.removeFirst())
                loop()
            case .lag(let count):
                lost += count
                loop()
            case .end(let error):
                wasTooSmall = error != nil
                close()
            case .lostFailure: Issue.record("there are no failures")
            case .nothing: park()
            }
        }
    }

    private func park() {
        consumer.add("park") { [self] in
            isParked = state.wait(continuation)
            if !isParked { loop() }
        }
    }

    private func close() {
        consumer.add("close") { [self] in
            hasEnded = true
            state.close(0)
            buffer = []
        }
    }

    // MARK: Errors

    override var complaint: String? {
        if taken != taken.sorted() || Set(taken).count != taken.count { return "\(taken) were taken" }
        if state.isAwaited != (isParked && resumptions == 0) { return "it is awaited: \(state.isAwaited)" }
        if resumptions > 1 { return "it is resumed twice" }
        if !state.isEmpty(throwing: true), state.isAwaited {
            return "there is an element, but the waiter was not resumed"
        }
        let policy = state.policy
        if policy.kind != .unbounded, buffer.count > policy.bound { return "the buffer holds \(buffer.count)" }
        // Elements after the end of the reader need not be delivered.
        guard !hasEnded else { return nil }
        if taken.count + state.dropped + buffer.count != emitted {
            return "\(taken.count) taken, \(state.dropped) dropped, \(buffer.count) held of \(emitted)"
        }
        return nil
    }

    override var complaintAtEnd: String? {
        if !hasEnded { return "the consumer waits forever" }
        guard !isTaskCancelled else { return nil }
        if wasTooSmall != (state.policy.kind == .failing && state.dropped > 0) {
            return "it has failed: \(wasTooSmall)"
        }
        if state.policy.kind == .reportingLag, lost != state.dropped { return "\(lost) were reported" }
        return nil
    }
}
