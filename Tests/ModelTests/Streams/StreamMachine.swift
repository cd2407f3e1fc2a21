import SimpleFutures
import SimpleFuturesInterop

/// Runs programs on the library, from any number of threads, and records everything observable.
final class StreamMachine: ProgramMachine {
    typealias Subject = StreamProgram
    struct Things: Sendable {
        var streams: [Int: FutureStream<Payload>] = [:]
        var promises: [Int: StreamPromise<Payload>] = [:]
        var futures: [Int: Future<Payload>] = [:]
        var futurePromises: [Int: Promise<Payload>] = [:]
        var tokens: [Int: CancelToken] = [:]
        var tasks: [Int: Task<Void, Never>] = [:]
        var pullers: [Int: Puller] = [:]
    }

    /// A record of an event, with its recipient.
    struct Note: Sendable {
        let id: Int
        let end: End
    }

    let things = Lock(Things())
    let places: Places
    let traces = Traces()
    let jitter: Jitter?
    private let notes = Lock<[Note]>([])
    private let answers = Lock<[Int: Bool]>([:])
    private let done = Lock<Set<Int>>([])
    private let ended = Lock<Set<Int>>([])
    /// How many elements each loop has lost.
    private let losses = Lock<[Int: Int]>([:])

    init(isHeld: Bool) {
        places = Places(isHeld: isHeld)
        jitter = isHeld ? nil : Jitter()
    }

    /// The steps that were carried out.
    var stepsDone: Set<Int> { done.withLock { $0 } }

    var allNotes: [Note] { notes.withLock { $0 } }

    var observations: StreamObservations {
        var result = StreamObservations()
        for note in allNotes { result.notes[note.id, default: []].append(note.end) }
        for (id, stream) in things.withLock({ $0.streams }) {
            result.ends[id] = .some(stream.isFinished ? .finished : stream.isCancelled ? .cancelled : nil)
            result.kept[id] = stream.futures.compactMap { $0.result.map { End($0) } }
        }
        for (id, future) in things.withLock({ $0.futures }) {
            result.ends[id] = .some(future.completed ? .finished : future.isCancelled ? .cancelled : nil)
            result.kept[id] = [future.result].compactMap { $0.map { End($0) } }
        }
        result.dropped = losses.withLock { $0 }
        for (id, puller) in things.withLock({ $0.pullers }) { result.dropped[id] = puller.dropped }
        result.pulled = ended.withLock { $0 }
        result.timers = places.manual.timerCount
        result.answers = answers.withLock { $0 }
        result.held = traces.held
        return result
    }

    func haveEnded(_ loops: Set<Int>) -> Bool { ended.withLock { loops.isSubset(of: $0) } }

    func note(_ id: Int, _ end: End) { notes.withLock { $0.append(Note(id: id, end: end)) } }

    func noteEnd(_ id: Int) { ended.withLock { _ = $0.insert(id) } }

    func noteLoss(_ id: Int, _ count: Int) { losses.withLock { $0[id] = count } }

    func stream(_ id: Int) -> FutureStream<Payload>? { things.withLock { $0.streams[id] } }
    func future(_ id: Int) -> Future<Payload>? { things.withLock { $0.futures[id] } }
    private func promise(_ id: Int) -> StreamPromise<Payload>? { things.withLock { $0.promises[id] } }

    private func token(_ id: Int?) -> CancelToken {
        guard let id else { return .none }
        return things.withLock { $0.tokens[id] } ?? .none
    }

    func clear() {
        let old = things.exchange(Things())
        for task in old.tasks.values { task.cancel() }
    }

    // MARK: Steps

    /// Carries out a step, if the objects that it needs exist.
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
        case .flatMap(let source, let inner, true, let place, let token):
            return recoverWith(id, source, inner, places[place], self.token(token))
        case .flatMap(let source, let inner, false, let place, let token):
            return flatMap(id, source, inner, places[place], self.token(token))
        case .flatMapLatest(let source, let inner, let place, let token):
            return flatMapLatest(id, source, inner, places[place], self.token(token))
        case .merge(let sources, let token):
            let inputs = sources.compactMap { stream($0) }
            guard inputs.count == sources.count, let first = inputs.first else { return nil }
            return first.merge(inputs.dropFirst(), cancelToken: self.token(token))
        case .pair(let pairing, let first, let second, let token):
            guard let first = stream(first), let second = stream(second) else { return nil }
            return pair(pairing, first, second, self.token(token))
        default: return nil
        }
    }

    private func act(_ step: StreamProgram.Step) -> Bool {
        let id = step.id
        switch step.operation {
        case .future:
            let promise = Promise<Payload>()
            things.withLock {
                $0.futurePromises[id] = promise
                $0.futures[id] = promise.future
            }
        case .first(let source, let token):
            guard let future = stream(source)?.first(cancelToken: self.token(token)) else { return false }
            things.withLock { $0.futures[id] = future }
        case .reduce(let source, let place, let token):
            guard let source = stream(source) else { return false }
            let future = reduce(id, source, places[place], self.token(token))
            things.withLock { $0.futures[id] = future }
        case .emit(let target, let isSuccess):
            let result = traces.result(id, isSuccess)
            if let promise = promise(target) {
                promise.complete(result)
            } else if let promise = things.withLock({ $0.futurePromises[target] }) {
                promise.complete(result)
            } else {
                return false
            }
        case .finish(let target):
            guard let promise = promise(target) else { return false }
            promise.finish()
        case .completeWith(let target, let source):
            return complete(target, with: source)
        case .dropPromise(let id):
            if things.withLock({ $0.promises.removeValue(forKey: id) }) != nil { return true }
            return things.withLock({ $0.futurePromises.removeValue(forKey: id) }) != nil
        case .dropStream(let id):
            if things.withLock({ $0.streams.removeValue(forKey: id) }) != nil { return true }
            return things.withLock({ $0.futures.removeValue(forKey: id) }) != nil
        case .listen(let stream, let kind, let place, let token):
            guard let stream = self.stream(stream) else { return false }
            listen(id, to: stream, kind, on: places[place], under: self.token(token))
        case .token: things.withLock { $0.tokens[id] = CancelToken() }
        case .cancel(let token): self.token(token).cancel()
        case .cancelOn(let stream, let token):
            let token = self.token(token)
            guard let answer = self.stream(stream)?.cancel(token) ?? future(stream)?.cancel(token) else { return false }
            answers.withLock { $0[id] = answer }
        case .loop(let loop, let stream, let limit, let buffering):
            guard let stream = self.stream(stream) else { return false }
            let task = iterate(id, loop, over: stream, limit, buffering?.policy ?? .unbounded)
            things.withLock { $0.tasks[id] = task }
        case .cancelTask(let task):
            guard let task = things.withLock({ $0.tasks[task] }) else { return false }
            task.cancel()
        case .iterator(let loop, let stream, let buffering):
            guard let stream = self.stream(stream) else { return false }
            let puller = Puller(loop, over: stream, buffering.policy)
            things.withLock { $0.pullers[id] = puller }
        case .pull(let iterator, let count):
            guard let puller = things.withLock({ $0.pullers[iterator] }) else { return false }
            Task { [self] in
                await puller.pull(count) { note(iterator, $0) }
                noteEnd(id)
            }
        case .dropIterator(let iterator):
            return things.withLock({ $0.pullers.removeValue(forKey: iterator) }) != nil
        case .drain(let place): places.drain(place, rounds: 3)
        case .advance: places.manual.advance(by: .seconds(1))
        default: return false
        }
        return true
    }
}
