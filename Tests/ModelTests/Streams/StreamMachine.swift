import SimpleFutures
import SimpleFuturesInterop

/// Runs programs on the library, from any number of threads, and notes what can be seen.
final class StreamMachine: Sendable {
    struct Things: Sendable {
        var streams: [Int: FutureStream<Payload>] = [:]
        var promises: [Int: StreamPromise<Payload>] = [:]
        var tokens: [Int: CancelToken] = [:]
        var tasks: [Int: Task<Void, Never>] = [:]
    }

    /// Who has got something, in the order of all notes.
    struct Note: Sendable {
        let id: Int
        let end: End
    }

    let things = Lock(Things())
    let places: Places
    let census = Census()
    /// Nil on one thread.
    let jitter: Jitter?
    private let notes = Lock<[Note]>([])
    private let answers = Lock<[Int: Bool]>([:])
    private let done = Lock<Set<Int>>([])
    private let ended = Lock<Set<Int>>([])
    private let offers = Lock<[WeakPayload]>([])
    private let closures = Lock<[Int: WeakPayload]>([:])

    private struct WeakPayload: Sendable {
        weak var payload: Payload?
    }

    init(isHeld: Bool) {
        places = Places(isHeld: isHeld)
        jitter = isHeld ? nil : Jitter()
    }

    /// The steps that were really done.
    var stepsDone: Set<Int> { done.withLock { $0 } }

    var allNotes: [Note] { notes.withLock { $0 } }

    /// What can be seen now.
    var observations: StreamObservations {
        var result = StreamObservations()
        for note in allNotes { result.notes[note.id, default: []].append(note.end) }
        for (id, stream) in things.withLock({ $0.streams }) {
            result.ends[id] = .some(stream.isFinished ? .finished : stream.isCancelled ? .cancelled : nil)
            result.kept[id] = stream.futures.compactMap { $0.result.map { End($0) } }
        }
        result.answers = answers.withLock { $0 }
        result.held = closures.withLock { closures in Set(closures.filter { $0.value.payload != nil }.keys) }
        return result
    }

    /// The numbers of all elements that somebody still holds.
    var elements: Set<Int> { offers.withLock { offers in Set(offers.compactMap { $0.payload?.number }) } }

    /// Whether all of these loops have ended.
    func haveEnded(_ loops: Set<Int>) -> Bool { ended.withLock { loops.isSubset(of: $0) } }

    func note(_ id: Int, _ end: End) { notes.withLock { $0.append(Note(id: id, end: end)) } }

    func noteEnd(_ id: Int) { ended.withLock { _ = $0.insert(id) } }

    /// An object for a closure to capture, so that one sees whether the closure is still there.
    func capture(_ id: Int) -> Payload {
        let payload = Payload(id, census)
        closures.withLock { $0[id] = WeakPayload(payload: payload) }
        return payload
    }

    func stream(_ id: Int) -> FutureStream<Payload>? { things.withLock { $0.streams[id] } }
    private func promise(_ id: Int) -> StreamPromise<Payload>? { things.withLock { $0.promises[id] } }

    private func token(_ id: Int?) -> CancelToken {
        guard let id else { return .none }
        return things.withLock { $0.tokens[id] } ?? .none
    }

    /// Lets go of everything that has a name.
    func clear() {
        let old = things.exchange(Things())
        for task in old.tasks.values { task.cancel() }
    }

    // MARK: Steps

    /// Does a step, if what it needs is there.
    func run(_ step: StreamProgram.Step) {
        if make(step) || act(step) { done.withLock { _ = $0.insert(step.id) } }
    }

    private func make(_ step: StreamProgram.Step) -> Bool {
        guard let stream = made(by: step) else { return false }
        things.withLock { $0.streams[step.id] = stream }
        return true
    }

    private func made(by step: StreamProgram.Step) -> FutureStream<Payload>? {
        let id = step.id
        switch step.operation {
        case .promise(let capacity):
            let promise = StreamPromise<Payload>(capacity: capacity)
            things.withLock { $0.promises[id] = promise }
            return promise.stream
        case .transform(let transform, let source, let place, let token):
            return stream(source).map { derive(id, transform, $0, places[place], self.token(token)) }
        case .flatMap(let source, let inner, let place, let token):
            guard let source = stream(source), let inner = stream(inner) else { return nil }
            let captured = capture(id)
            return source.flatMap(context: places[place], cancelToken: self.token(token)) { _ in
                captured.use()
                return inner
            }
        case .merge(let sources, let token):
            let inputs = sources.compactMap { stream($0) }
            guard inputs.count == sources.count, let first = inputs.first else { return nil }
            return first.merge(inputs.dropFirst(), cancelToken: self.token(token))
        default: return nil
        }
    }

    private func act(_ step: StreamProgram.Step) -> Bool {
        let id = step.id
        switch step.operation {
        case .emit(let target, let isSuccess):
            guard let promise = promise(target) else { return false }
            let payload = Payload(id, census)
            offers.withLock { $0.append(WeakPayload(payload: payload)) }
            promise.complete(isSuccess ? .success(payload) : .failure(Fault(payload: payload)))
        case .finish(let target):
            guard let promise = promise(target) else { return false }
            promise.finish()
        case .completeWith(let target, let source):
            guard let promise = promise(target), let source = stream(source) else { return false }
            promise.completeWith(stream: source)
        case .dropPromise(let promise):
            return things.withLock({ $0.promises.removeValue(forKey: promise) }) != nil
        case .dropStream(let stream): return things.withLock({ $0.streams.removeValue(forKey: stream) }) != nil
        case .listen(let stream, let kind, let place, let token):
            guard let stream = self.stream(stream) else { return false }
            listen(id, to: stream, kind, on: places[place], under: self.token(token))
        case .token: things.withLock { $0.tokens[id] = CancelToken() }
        case .cancel(let token): self.token(token).cancel()
        case .cancelOn(let stream, let token):
            guard let stream = self.stream(stream) else { return false }
            let answer = stream.cancel(self.token(token))
            answers.withLock { $0[id] = answer }
        case .loop(let loop, let stream, let limit):
            guard let stream = self.stream(stream) else { return false }
            let task = iterate(id, loop, over: stream, limit)
            things.withLock { $0.tasks[id] = task }
        case .cancelTask(let task):
            guard let task = things.withLock({ $0.tasks[task] }) else { return false }
            task.cancel()
        case .drain(let place): places.drain(place, rounds: 3)
        default: return false
        }
        return true
    }
}
