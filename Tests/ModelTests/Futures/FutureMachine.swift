import SimpleFutures
import SimpleFuturesInterop

/// Runs programs on the library, from any number of threads, and records everything observable.
final class FutureMachine: ProgramMachine {
    typealias Subject = FutureProgram
    typealias Step = FutureProgram.Step

    struct Things: Sendable {
        var futures: [Int: Future<Payload>] = [:]
        var promises: [Int: Promise<Payload>] = [:]
        var tokens: [Int: CancelToken] = [:]
        var tasks: [Int: Task<Void, Never>] = [:]
    }

    /// The objects that have a name in the program.
    let things = Lock(Things())
    let places: Places
    let traces = Traces()
    let jitter: Jitter?
    private let seen = Lock(FutureObservations())
    private let done = Lock<Set<Int>>([])

    /// The futures that the program completes directly, without a promise.
    private let bare: Set<Int>

    init(_ program: FutureProgram, isHeld: Bool) {
        places = Places(isHeld: isHeld)
        jitter = isHeld ? nil : Jitter()
        bare = Set(program.steps.filter(\.operation.isBare).map(\.id))
    }

    var stepsDone: Set<Int> { done.withLock { $0 } }

    var observations: FutureObservations {
        var result = seen.withLock { $0 }
        for (id, future) in things.withLock({ $0.futures }) {
            result.ends[id] = .some(future.isCancelled ? .cancelled : future.result.map { End($0) })
        }
        result.held = traces.held
        result.timers = places.manual.timerCount
        return result
    }

    func clear() {
        let old = things.exchange(Things())
        for task in old.tasks.values { task.cancel() }
    }

    // MARK: Recording

    func note(_ id: Int, _ end: End, future: Int, on place: Place) {
        seen.withLock {
            $0.notes[id, default: []].append(end)
            if place.isSerial { $0.orders["f\(future) on \(place)", default: []].append(id) }
        }
    }

    /// Records the argument of a closure.
    func noteCall(_ id: Int, _ value: Payload) {
        seen.withLock { $0.notes[id, default: []].append(.success(value.number)) }
    }

    func noteEnsured(_ id: Int) { seen.withLock { $0.notes[id, default: []].append(.finished) } }

    func answer(_ id: Int, _ answer: Bool) { seen.withLock { $0.answers[id] = answer } }

    func noteHandler(_ id: Int) { seen.withLock { $0.handlers[id, default: 0] += 1 } }

    func noteOutcome(_ id: Int, _ end: End) { seen.withLock { $0.outcomes[id] = end } }

    func haveEnded(_ tasks: Set<Int>) -> Bool { seen.withLock { tasks.isSubset(of: $0.outcomes.keys) } }

    // MARK: Objects with names

    func future(_ id: Int) -> Future<Payload>? { things.withLock { $0.futures[id] } }
    func promise(_ id: Int) -> Promise<Payload>? { things.withLock { $0.promises[id] } }

    func token(_ id: Int?) -> CancelToken {
        guard let id else { return .none }
        return things.withLock { $0.tokens[id] } ?? .none
    }

    func keep(_ future: Future<Payload>, _ id: Int) { things.withLock { $0.futures[id] = future } }

    // MARK: Steps

    /// Carries out a step, if the objects that it needs exist.
    func run(_ step: Step) {
        if make(step) || act(step) { done.withLock { _ = $0.insert(step.id) } }
    }

    /// Carries out a step that creates a future.
    private func make(_ step: Step) -> Bool {
        guard let future = made(by: step) else { return false }
        keep(future, step.id)
        return true
    }

    private func made(by step: Step) -> Future<Payload>? {
        let id = step.id
        switch step.operation {
        case .promise:
            let promise = Promise<Payload>()
            things.withLock { $0.promises[id] = promise }
            return promise.future
        case .bare: return Future()
        case .value: return Future(value: traces.payload(id))
        case .transform(let transform, let source, let place, let token):
            return future(source).map { derive(id, transform, $0, places[place], self.token(token)) }
        case .flatMap(let source, let inner, let isRecovery, let place, let token):
            guard let source = future(source), let inner = future(inner) else { return nil }
            let (captured, context, token) = (capture(id), places[place], self.token(token))
            return isRecovery
                ? source.recoverWith(context: context, cancelToken: token) { _ in captured.passing(inner) }
                : source.flatMap(context: context, cancelToken: token) { _ in captured.passing(inner) }
        case .gather(let gathering, let sources, let place):
            let inputs = sources.compactMap { future($0) }
            return inputs.count == sources.count ? gather(id, gathering, inputs, places[place]) : nil
        case .retry(let sources, let hasDelay, let place, let token):
            let inputs = sources.compactMap { future($0) }
            guard inputs.count == sources.count else { return nil }
            return retry(id, inputs, hasDelay: hasDelay, places[place], self.token(token))
        case .timeout(let source, let token):
            return future(source)?.timeout(.seconds(1), context: places.manual, cancelToken: self.token(token))
        case .delay(let source, let token):
            return future(source)?.delay(.seconds(1), context: places.manual, cancelToken: self.token(token))
        case .asyncFuture(let source, let token):
            guard let source = future(source) else { return nil }
            return Future(cancelToken: self.token(token)) { () async throws -> Payload in try await source.value }
        default: return nil
        }
    }

    private func act(_ step: Step) -> Bool {
        let id = step.id
        switch step.operation {
        case .complete(let target, let isSuccess):
            if let promise = promise(target) {
                promise.complete(traces.result(id, isSuccess))
            } else if bare.contains(target), let bare = future(target) {
                bare.complete(traces.result(id, isSuccess))
            } else {
                return false
            }
        case .tryComplete(let target, let isSuccess):
            if let promise = promise(target) {
                answer(id, promise.tryComplete(traces.result(id, isSuccess)))
            } else if bare.contains(target), let bare = future(target) {
                answer(id, bare.tryComplete(traces.result(id, isSuccess)))
            } else {
                return false
            }
        case .completeWith(let target, let source):
            guard let target = promise(target), let source = future(source) else { return false }
            target.completeWith(future: source)
        case .dropPromise(let promise):
            return things.withLock({ $0.promises.removeValue(forKey: promise) }) != nil
        case .dropFuture(let future):
            return things.withLock({ $0.futures.removeValue(forKey: future) }) != nil
        case .listen(let future, let kind, let place, let token, let target):
            guard let source = self.future(future) else { return false }
            listen(id, to: source, number: future, kind, on: place, under: self.token(token), completing: target)
        case .token: things.withLock { $0.tokens[id] = CancelToken() }
        case .child(let parent):
            let child = self.token(parent).child()
            things.withLock { $0.tokens[id] = child }
        case .handler(let token):
            let captured = capture(id)
            self.token(token).onCancel { [self] in
                captured.use()
                noteHandler(id)
            }
        case .cancel(let token): self.token(token).cancel()
        case .cancelOn(let future, let token):
            guard let future = self.future(future) else { return false }
            answer(id, future.cancel(self.token(token)))
        case .await(let future, let token, let abandons):
            guard let future = self.future(future) else { return false }
            let waiting = future.observerCount
            let task = wait(id, for: future, cancelling: token.map { self.token($0) }, abandons)
            things.withLock { $0.tasks[id] = task }
            // On one thread the task waits before the next step, which may cancel it and then complete the future.
            if jitter == nil { _ = eventually(within: 1) { haveEnded([id]) || future.observerCount > waiting } }
        case .cancelTask(let task):
            guard let task = things.withLock({ $0.tasks[task] }) else { return false }
            task.cancel()
        case .drain(let place): places.drain(place, rounds: 3)
        case .advance: places.manual.advance(by: .seconds(1))
        default: return false
        }
        return true
    }
}
