import SimpleFutures

/// Observes futures for an iterator.
///
/// When it is released, it removes its registrations.
final class CompletionWatch<T: Sendable>: Sendable {
    let futures: [Future<T>]
    private let order: CompletionOrder
    private let wakers: [(future: Int, waker: Waker)]

    init(_ futures: [Future<T>]) {
        let order = CompletionOrder(count: futures.count)
        var wakers: [(future: Int, waker: Waker)] = []
        for (index, future) in futures.enumerated() {
            guard future.phase == .pending else {
                order.arrive(index)
                continue
            }
            let waker = Waker()
            waker.set { _ in order.arrive(index) }
            if future.add(waker) { wakers.append((index, waker)) } else { order.arrive(index) }
        }
        self.futures = futures
        self.order = order
        self.wakers = wakers
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
        // Here and not in each wait, which would visit all futures again.
        let priority = Task.currentPriority
        for (index, _) in wakers { futures[index].raise(to: priority) }
    }

    deinit { for (index, waker) in wakers { futures[index].remove(waker) } }

    /// The next future that has ended, if there is one.
    func take() -> Int? { order.take() }

    /// Waits for the next future to end.
    ///
    /// Returns nil after the last one.
    ///
    /// In a canceled task it does not wait, but returns one that has not ended.
    func next() async -> Int? {
        while true {
            switch order.next(orElse: Task.isCancelled) {
            case .index(let index): return index
            case .end: return nil
            case .wait(let bell): await bell.settled()
            }
        }
    }
}

/// The order in which futures end.
final class CompletionOrder: Sendable {
    private struct State {
        /// The futures that have ended, in that order.
        ///
        /// The first `takenCount` were taken.
        var arrived: [Int] = []
        var takenCount = 0
        /// Whether each future has neither ended nor been taken.
        var isOpen: [Bool]
        var openCount: Int
        /// No future below this index is open.
        var firstOpen = 0
        /// Completed to resume the waiters.
        var bell: Future<Void>?

        /// Returns false if the future was taken before it has ended.
        mutating func close(_ index: Int) -> Bool {
            guard isOpen[index] else { return false }
            isOpen[index] = false
            openCount -= 1
            return true
        }

        mutating func takeArrived() -> Int? {
            guard takenCount < arrived.count else { return nil }
            takenCount += 1
            return arrived[takenCount - 1]
        }

        mutating func takeOpen() -> Int {
            while !isOpen[firstOpen] { firstOpen += 1 }
            _ = close(firstOpen)
            return firstOpen
        }
    }

    enum Next {
        case index(Int)
        case end
        case wait(Future<Void>)
    }

    private let state: Lock<State>

    init(count: Int) { state = Lock(State(isOpen: Array(repeating: true, count: count), openCount: count)) }

    func arrive(_ index: Int) {
        let bell = state.withLock { state -> Future<Void>? in
            guard state.close(index) else { return nil }
            state.arrived.append(index)
            return state.bell.take()
        }
        bell?.settle(.success(()))
    }

    func take() -> Int? { state.withLock { $0.takeArrived() } }

    /// - Parameter takesOpen: Whether to take a pending future instead of waiting.
    func next(orElse takesOpen: Bool) -> Next {
        let (next, bell) = state.withLock { state -> (Next, Future<Void>?) in
            if let index = state.takeArrived() { return (.index(index), nil) }
            guard state.openCount > 0 else { return (.end, nil) }
            if takesOpen {
                let index = state.takeOpen()
                // After the last one the waiters have nothing left to wait for.
                return (.index(index), state.openCount == 0 ? state.bell.take() : nil)
            }
            let bell = state.bell ?? Future()
            state.bell = bell
            return (.wait(bell), nil)
        }
        bell?.settle(.success(()))
        return next
    }
}
