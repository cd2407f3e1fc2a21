import Dispatch
import Foundation
import SimpleFutures
@testable import TestSupport

/// Futures, streams, tokens and callbacks that act on them at random.
final class WaitScene: Sendable {
    struct State {
        var random: Random
        var actionsLeft = 80
        var lastNumber = 0
        var isClosed = [Bool](repeating: false, count: 3)
        var emitted = [[Int]](repeating: [], count: 3)
        /// The same in the order of a callback that was there first.
        var order = [[Int]](repeating: [], count: 3)
        /// The threads on which each token was canceled.
        var canceled = [Set<UInt>](repeating: [], count: 3)
        var entries: [Int: Entry] = [:]
        /// The number of runs of each handler of a token.
        var handlers: [Int: Int] = [:]
        /// The last callback of each future that has begun on a context, for callbacks that all outcomes reach.
        var begun: [[Int]: Int] = [:]
        /// Contexts that can be released.
        var passing: [TrackedContext] = []
        var complaint: Complaint?
    }

    let state: Lock<State>
    let threadCount: Int
    let streams = [0, 2, 100].map { FutureStream<Int>(capacity: $0) }
    let futures = (0..<4).map { _ in Future<Int>() }
    let tokens = (0..<3).map { _ in CancelToken() }
    let contexts = TrackedContext.Kind.allCases.flatMap { [TrackedContext($0), TrackedContext($0)] }
    private let dropping = [TrackedContext.Kind.atOnce, .atOnce, .loop, .loop].map { TrackedContext($0, drops: true) }

    init(_ seed: UInt64, _ threadCount: Int) {
        state = Lock(State(random: Random(seed: seed)))
        self.threadCount = threadCount
    }

    /// Returns a complaint, or nil.
    func run() -> Complaint? {
        for index in streams.indices {
            streams[index].onSuccess(context: immediate) { [self] element in
                state.withLock { $0.order[index].append(element) }
            }
        }
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
        let complaint = complaint
        for token in tokens { token.cancel() }
        settle()
        return complaint ?? complaintOfHandlers
    }

    private func settle() {
        var count = 1
        while count > 0 {
            count = (contexts + dropping + state.withLock { $0.passing }).reduce(0) { $0 + $1.run(.max) }
        }
    }

    func below(_ limit: Int) -> Int { state.withLock { $0.random.below(limit) } }

    func number() -> Int {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    func spot(mayDrop: Bool = true) -> Spot {
        let index = below(contexts.count + (mayDrop ? 6 : 2))
        guard index >= contexts.count else { return Spot(contexts[index], index, mayDrop: false) }
        switch index - contexts.count {
        case 0...1: return Spot()
        case 2...3:
            let other = below(dropping.count)
            return Spot(dropping[other], 100 + other, mayDrop: true)
        default:
            let context = TrackedContext(.loop)
            state.withLock { $0.passing.append(context) }
            return Spot(context, 1000 + number(), mayDrop: true)
        }
    }

    func actions() { for _ in 0..<below(3) { act() } }

    private func act() {
        let mayAct = state.withLock { state in
            state.actionsLeft -= 1
            return state.actionsLeft >= 0
        }
        guard mayAct else { return }
        switch below(15) {
        case 0...2: emit()
        case 3:
            let future = futures[below(futures.count)]
            if below(2) == 0 { future.trySuccess(1) } else { future.tryFailure(Failure()) }
        case 4: register()
        case 5...6: subscribe()
        case 7...8: _ = try? futures[below(futures.count)].wait(timeout: .microseconds(300 * below(3)))
        case 9: ImmediateContext.runPending()
        case 10: if below(4) == 0 { finish(below(streams.count)) }
        case 11: cancel()
        case 12: handle()
        case 13:
            let index = below(8)
            _ = state.withLock { $0.passing.indices.contains(index) ? $0.passing.remove(at: index) : nil }
        default:
            let loops = Array(contexts.suffix(2)) + dropping.suffix(2) + state.withLock { $0.passing }
            loops[below(loops.count)].run(below(4))
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

    private func handle() {
        let (id, token) = (number(), below(tokens.count))
        state.withLock { $0.handlers[id] = 0 }
        tokens[token].onCancel { [self] in
            state.withLock { $0.handlers[id, default: 0] += 1 }
            actions()
        }
    }

    private func cancel() {
        let (index, thread) = (below(tokens.count), threadNumber())
        let token = tokens[index]
        switch below(5) {
        case 0:
            token.cancel()
            _ = state.withLock { $0.canceled[index].insert(thread) }
        case 1...2:
            let stream = below(streams.count)
            cancel({ $0.token == index && $0.streams.contains(stream) }) { streams[stream].cancel(token) }
        default:
            let future = below(futures.count)
            cancel({ $0.token == index && $0.future == future }) { futures[future].cancel(token) }
        }
    }

    private func cancel(_ isIncluded: (Entry) -> Bool, _ cancel: () -> Bool) {
        let registered = state.withLock { $0.entries.filter { isIncluded($0.value) && $0.value.isRegistered } }
        _ = cancel()
        state.withLock { state in
            state.mayStop(isIncluded)
            for id in registered.keys { state.entries[id]?.endedOn.insert(threadNumber()) }
        }
    }
}
