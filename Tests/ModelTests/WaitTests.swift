import Dispatch
import Foundation
import SimpleFutures
import Testing
@testable import TestSupport

// Callbacks act at random: they emit, finish, complete, fail, register, wait, and run event loops. The order is not predicted, but
// promises 1, 3, 4 and 11 hold in each: callbacks and elements are neither lost nor run twice, nor off their context.

@Suite("Random callbacks that wait", .watchdog)
struct WaitTests {
    @Test(arguments: [1, 3])
    func `each callback runs once, and each element comes once and in order, on its context`(threadCount: Int) async {
        let count = UInt64((threadCount == 1 ? 600 : 150) * Settings.factor)
        let complaint = await onThread { () -> Complaint? in
            for number in 1...count {
                // A given seed runs as often as all: time limits are real, so another run may have another outcome.
                let seed = Settings.seed ?? number
                guard let complaint = WaitScene(seed, threadCount).run() else { continue }
                return "SIMPLEFUTURES_SEED=\(seed): \(complaint)"
            }
            return nil
        }
        #expect(complaint == nil)
    }
}

/// A context that knows whether it runs a task on this thread.
private final class Ground: ExecutionContext, Hashable {
    enum Kind: CaseIterable { case atOnce, oneByOne, inCallbacks, loop }

    private let kind: Kind
    private let tasks = Lock<[@Sendable () -> Void]>([])
    private let isRunning = Lock(false)
    private let inside = Lock<[UInt: Int]>([:])

    init(_ kind: Kind) { self.kind = kind }

    var isCurrent: Bool { inside.withLock { $0[threadNumber(), default: 0] > 0 } }

    func execute(_ task: @escaping @Sendable () -> Void) {
        switch kind {
        case .atOnce: run(task)
        case .inCallbacks: Future(value: ()).onSuccess(context: .immediate) { self.run(task) }
        case .loop: tasks.withLock { $0.append(task) }
        case .oneByOne:
            tasks.withLock { $0.append(task) }
            guard !isRunning.exchange(true) else { return }
            run(.max)
            isRunning.exchange(false)
            // Another thread may have added one in between.
            if !tasks.withLock({ $0.isEmpty }) { execute {} }
        }
    }

    /// Runs tasks of an event loop.
    func run(_ count: Int) {
        for _ in 0..<count {
            guard let task = tasks.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return }
            run(task)
        }
    }

    private func run(_ task: () -> Void) {
        inside.withLock { $0[threadNumber(), default: 0] += 1 }
        task()
        inside.withLock { $0[threadNumber(), default: 0] -= 1 }
    }

    static func == (left: Ground, right: Ground) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The same as a value.
private struct GroundValue: ExecutionContext, Hashable {
    let ground: Ground

    func execute(_ task: @escaping @Sendable () -> Void) { ground.execute(task) }
}

/// Futures, streams and callbacks that act on them at random.
private final class WaitScene: Sendable {
    private struct Listener {
        let stream: Int
        /// The number of elements that came before it.
        let start: Int
        var heard: [Int] = []
        var endCount = 0
    }

    private struct State {
        var random: Random
        var actionsLeft = 60
        var lastNumber = 0
        var isClosed = [Bool](repeating: false, count: 3)
        var emitted = [[Int]](repeating: [], count: 3)
        var listeners: [Int: Listener] = [:]
        var runs: [Int: Int] = [:]
        var complaint: String?
    }

    private let state: Lock<State>
    private let threadCount: Int
    private let streams = (0..<3).map { _ in FutureStream<Int>(capacity: 0) }
    private let futures = (0..<4).map { _ in Future<Int>() }
    private let grounds = Ground.Kind.allCases.flatMap { [Ground($0), Ground($0)] }

    init(_ seed: UInt64, _ threadCount: Int) {
        state = Lock(State(random: Random(seed: seed)))
        self.threadCount = threadCount
    }

    /// Returns a complaint, or nil.
    func run() -> Complaint? {
        DispatchQueue.concurrentPerform(iterations: threadCount) { _ in
            for _ in 0..<4 {
                subscribe()
                register()
            }
            for _ in 0..<8 { act() }
        }
        for future in futures { future.trySuccess(0) }
        settle()
        for index in streams.indices { finish(index) }
        settle()
        return complaint
    }

    private func settle() { for _ in 0..<100 { for ground in grounds { ground.run(.max) } } }

    private func below(_ limit: Int) -> Int { state.withLock { $0.random.below(limit) } }

    private func number() -> Int {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    /// A ground, or nil for the immediate context, and the context.
    private func place() -> (Ground?, any ExecutionContext) {
        let index = below(grounds.count + 2)
        guard index < grounds.count else { return (nil, immediate) }
        return (grounds[index], index.isMultiple(of: 2) ? grounds[index] : GroundValue(ground: grounds[index]))
    }

    private func actions() { for _ in 0..<below(3) { act() } }

    private func act() {
        let mayAct = state.withLock { state in
            state.actionsLeft -= 1
            return state.actionsLeft >= 0
        }
        guard mayAct else { return }
        switch below(11) {
        case 0...2: emit()
        case 3:
            let future = futures[below(futures.count)]
            if below(2) == 0 { future.trySuccess(1) } else { future.tryFailure(Failure()) }
        case 4: register()
        case 5: subscribe()
        case 6...7: _ = try? futures[below(futures.count)].wait(timeout: .microseconds(300 * below(3)))
        case 8: ImmediateContext.runPending()
        case 9: if below(4) == 0 { finish(below(streams.count)) }
        default:
            grounds[grounds.count - 1 - below(2)].run(below(4))
            // A wait further down may time out.
            if below(2) == 0 { Thread.sleep(forTimeInterval: 0.0003) }
        }
    }

    private func emit() {
        let (index, element) = (below(streams.count), number())
        let isOpen = state.withLock { state in
            if !state.isClosed[index] { state.emitted[index].append(element) }
            return !state.isClosed[index]
        }
        if isOpen { streams[index].success(element) }
    }

    private func finish(_ index: Int) {
        state.withLock { $0.isClosed[index] = true }
        streams[index].finish()
    }

    private func register() {
        let (id, (ground, context)) = (number(), place())
        state.withLock { $0.runs[id] = 0 }
        let future = futures[below(futures.count)]
        let run = { @Sendable in
            self.state.withLock { $0.runs[id, default: 0] += 1 }
            self.actions()
        }
        switch below(3) {
        case 0:
            future.onComplete(context: context) { _ in
                self.check(ground)
                run()
            }
        case 1:
            // A success needs no code of the user's, and so no context.
            let recovered = future.recover(context: context) { _ in
                self.check(ground)
                self.actions()
                return 0
            }
            recovered.onComplete(context: immediate) { _ in run() }
        default:
            let mapped = future.map(context: context) { _ in
                self.check(ground)
                self.actions()
            }
            mapped.onComplete(context: immediate) { _ in run() }
        }
    }

    private func subscribe() {
        let (id, index, (ground, context)) = (number(), below(streams.count), place())
        state.withLock { $0.listeners[id] = Listener(stream: index, start: $0.emitted[index].count) }
        streams[index].onSuccess(context: context) { element in
            self.check(ground)
            self.state.withLock { $0.listeners[id]?.heard.append(element) }
            self.actions()
        }
        streams[index].onFinish(context: context) {
            self.check(ground)
            self.state.withLock { $0.listeners[id]?.endCount += 1 }
            self.actions()
        }
    }

    private func check(_ ground: Ground?) {
        if let ground, !ground.isCurrent { state.withLock { $0.complaint = "a callback ran off its context" } }
    }

    private var complaint: Complaint? {
        state.withLock { state in
            if let complaint = state.complaint { return complaint }
            for (id, count) in state.runs where count != 1 { return "callback \(id) of a future ran \(count) times" }
            for (id, listener) in state.listeners {
                let others = state.listeners.values.filter { $0.stream == listener.stream }.map(\.heard)
                // On several threads the order of emission is not known: all must have heard the same one.
                let all = threadCount == 1 ? state.emitted[listener.stream] : others.max { $0.count < $1.count } ?? []
                let count = threadCount == 1 ? all.count - listener.start : listener.heard.count
                if listener.endCount != 1 { return "listener \(id) got \(listener.endCount) ends" }
                guard listener.heard == Array(all.suffix(count)) else {
                    return "listener \(id) got \(listener.heard) of \(all)"
                }
            }
            return nil
        }
    }
}
