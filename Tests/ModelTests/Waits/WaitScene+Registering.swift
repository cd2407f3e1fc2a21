import SimpleFutures
@testable import TestSupport

extension WaitScene {
    /// A registration, and the future or stream derived by it.
    struct Entry {
        var future: Int?
        var streams: [Int] = []
        let token: Int?
        /// Whether it may lose callbacks: it may have been canceled, or its context drops tasks.
        var mayStop: Bool
        var isRegistered = false
        /// The threads on which it was canceled.
        var endedOn: Set<UInt> = []
        var isInside = false
        /// The elements that its closure got, or one for a future.
        var received: [Int] = []
        /// Whether what handles its end is on a context that is a value.
        var endsOnValue: Bool
        /// The number of elements when it ended.
        var receivedAtEnd: Int?
        var endCount = 0
        /// Of a derived stream: the elements that the closure passed on, and those that arrived.
        var passed: [Int] = []
        var passedBefore = 0
        var derived: Derived?
        var arrived: [Int] = []
        /// For each stream: the number of elements that came before the subscription, and before that had returned.
        var start: [Int] = []
        var latest: [Int] = []
    }

    enum Derived { case byClosure, take(Int), merge }

    private func token() -> (Int?, CancelToken) {
        let index = below(2 * tokens.count)
        return index < tokens.count ? (index, tokens[index]) : (nil, .none)
    }

    private func add(_ id: Int, _ entry: Entry) {
        state.withLock { state in
            var entry = entry
            entry.start = entry.streams.map { max(0, state.emitted[$0].count - streams[$0].capacity) }
            state.entries[id] = entry
        }
    }

    private func isRegistered(_ id: Int) {
        state.withLock { state in
            guard var entry = state.entries[id] else { return }
            entry.isRegistered = true
            entry.latest = entry.streams.map { state.emitted[$0].count }
            entry.passedBefore = entry.passed.count
            state.entries[id] = entry
        }
    }

    /// A closure of a registration that a token can cancel.
    private func run(_ id: Int, _ spot: @Sendable () -> Bool, _ change: (inout Entry) -> Void) {
        check(spot)
        let thread = threadNumber()
        state.withLock { state in
            guard var entry = state.entries[id] else { return }
            let isCanceled = entry.token.map { state.canceled[$0].contains(thread) } ?? false
            if isCanceled || entry.endedOn.contains(thread) { state.complaint = "\(id) ran after its cancellation" }
            if entry.isInside, !entry.endsOnValue { state.complaint = "\(id) ran inside itself" }
            entry.isInside = true
            change(&entry)
            state.entries[id] = entry
        }
        actions()
        state.withLock { $0.entries[id]?.isInside = false }
    }

    /// A closure of one derived from it, which no token cancels.
    private func runDerived(_ id: Int, _ isHere: @Sendable () -> Bool, _ change: (inout Entry) -> Void) {
        check(isHere)
        state.withLock { state in
            guard var entry = state.entries[id] else { return }
            change(&entry)
            state.entries[id] = entry
        }
        actions()
    }

    private func check(_ isHere: @Sendable () -> Bool) {
        if !isHere() { state.withLock { $0.complaint = "a callback ran off its context" } }
    }

    func register() {
        let (id, index, spot, (tokenIndex, token)) = (number(), below(futures.count), spot(), token())
        let (future, isHere, context, number) = (futures[index], spot.isHere, spot.context, spot.number)
        let kind = below(3)
        add(
            id,
            Entry(
                future: index, token: tokenIndex, mayStop: spot.mayDrop, endsOnValue: false,
                derived: kind == 0 ? nil : .byClosure))
        switch kind {
        case 0:
            future.onComplete(context: context, cancelToken: token) { [self] _ in
                state.withLock { state in
                    let last = state.begun.updateValue(id, forKey: [index, number])
                    if threadCount == 1, last ?? 0 > id { state.complaint = "\(id) ran after \(last ?? 0)" }
                }
                run(id, isHere) { $0.received.append(1) }
            }
        case 1:
            // A success needs no code of the user's, and so no context.
            let recovered = future.recover(context: context, cancelToken: token) { [self] _ in
                run(id, isHere) { $0.received.append(1) }
                return 0
            }
            follow(id, recovered)
        default:
            let mapped = future.map(context: context, cancelToken: token) { [self] _ in
                run(id, isHere) { $0.received.append(1) }
                return 0
            }
            follow(id, mapped)
        }
        isRegistered(id)
    }

    private func follow(_ id: Int, _ derived: Future<Int>) {
        let spot = spot(mayDrop: false)
        let isHere = spot.isHere
        derived.onComplete(context: spot.context) { [self] _ in runDerived(id, isHere) { $0.endCount += 1 } }
        derived.onCancel(context: spot.context) { [self] in runDerived(id, isHere) { $0.endCount += 1 } }
    }

    func subscribe() {
        let (id, index, spot, (tokenIndex, token)) = (number(), below(streams.count), spot(), token())
        let (stream, isHere, context) = (streams[index], spot.isHere, spot.context)
        var entry = Entry(streams: [index], token: tokenIndex, mayStop: spot.mayDrop, endsOnValue: spot.isValue)
        switch below(6) {
        case 0...1:
            add(id, entry)
            stream.onSuccess(context: context, cancelToken: token) { [self] element in
                run(id, isHere) { $0.received.append(element) }
            }
            stream.onFinish(context: context, cancelToken: token) { [self] in
                run(id, isHere) { $0.end($0.received) }
            }
        case 2:
            entry.derived = .byClosure
            add(id, entry)
            follow(
                id,
                stream.map(context: context, cancelToken: token) { [self] element in
                    run(id, isHere) { $0.received.append(element) }
                    state.withLock { $0.entries[id]?.passed.append(element) }
                    return element
                })
        case 3:
            entry.derived = .byClosure
            add(id, entry)
            follow(
                id,
                stream.filter(context: context, cancelToken: token) { [self] element in
                    run(id, isHere) { $0.received.append(element) }
                    guard element.isMultiple(of: 2) else { return false }
                    state.withLock { $0.entries[id]?.passed.append(element) }
                    return true
                })
        case 4:
            let count = below(4) + 1
            (entry.derived, entry.mayStop) = (.take(count), false)
            add(id, entry)
            follow(id, stream.take(count, cancelToken: token))
        default:
            (entry.derived, entry.mayStop) = (.merge, false)
            entry.streams.append((index + 1) % streams.count)
            add(id, entry)
            follow(id, stream.merge(streams[entry.streams[1]], cancelToken: token))
        }
        isRegistered(id)
    }

    private func follow(_ id: Int, _ derived: FutureStream<Int>) {
        let spot = spot(mayDrop: false)
        let isHere = spot.isHere
        state.withLock { $0.entries[id]?.endsOnValue = spot.isValue }
        derived.onSuccess(context: spot.context) { [self] element in
            runDerived(id, isHere) { $0.arrived.append(element) }
        }
        derived.onFinish(context: spot.context) { [self] in runDerived(id, isHere) { $0.end($0.arrived) } }
        derived.onCancel(context: spot.context) { [self] in runDerived(id, isHere) { $0.end($0.arrived) } }
    }
}

extension WaitScene.Entry {
    fileprivate mutating func end(_ elements: [Int]) {
        receivedAtEnd = elements.count
        endCount += 1
    }
}
