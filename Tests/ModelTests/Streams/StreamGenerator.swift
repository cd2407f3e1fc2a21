@testable import TestSupport

/// Generates random programs.
struct StreamGenerator: ProgramGenerator {
    var random: Random
    var program = StreamProgram()
    private let mixture: Mixture<Ingredient>

    struct Scope: ProgramScope {
        var streams: [Int] = []
        var promises: [Int] = []
        var futures: [Int] = []
        var futurePromises: [Int] = []
        var tokens: [Int] = []
        var loops: [Int] = []
        var iterators: [Int] = []
        /// The registrations: on which stream, with which token.
        var registrations: [(stream: Int, token: Int)] = []

        var completable: [Int] { promises + futurePromises }

        init() {}

        mutating func add(_ operation: StreamProgram.Operation, _ id: Int) {
            if operation.isFuture { futures.append(id) } else if operation.makesStream { streams.append(id) }
            if operation.isToken { tokens.append(id) }
            if operation.isPromise {
                if operation.isFuture { futurePromises.append(id) } else { promises.append(id) }
            }
            if operation.isLoop { loops.append(id) }
            if operation.isIterator { iterators.append(id) }
            if let token = operation.token, let stream = operation.references.first {
                registrations.append((stream, token))
            }
        }
    }

    init(seed: UInt64) {
        random = Random(seed: seed)
        mixture = Mixture(&random) { $0.usual }
    }

    mutating func basis() -> [StreamProgram.Operation] {
        // Sometimes several, so that there are streams to combine.
        (0..<(random.oneIn(3) ? 3 : 1)).map { _ in .promise(capacity: random.oneIn(3) ? random.below(3) : .max) }
    }

    mutating func operation(_ scope: Scope, thread: Int?) -> StreamProgram.Operation? {
        guard let stream = pickLatest(scope.streams, thread) else { return nil }
        let place = random.oneIn(2) ? Place.immediate : random.pick(Place.allCases) ?? .immediate
        let token = random.oneIn(3) ? nil : random.pick(scope.tokens)
        switch mixture.pick(&random) {
        case nil: return nil
        case .promise: return .promise(capacity: random.oneIn(2) ? .max : random.below(3))
        case .transform:
            guard let transform = random.pick(StreamProgram.Transform.allCases) else { return nil }
            return .transform(transform, of: stream, on: transform.takesClosure ? place : .immediate, under: token)
        case .future: return .future
        case .flatMap:
            let source = random.oneIn(2) ? random.pick(scope.futures) ?? stream : stream
            let inner = scope.futures.contains(source) ? scope.streams : scope.streams + scope.futures
            let isRecovery = random.oneIn(3) && !scope.futures.contains(source)
            return random.pick(inner).map {
                .flatMap(of: source, to: $0, isRecovery: isRecovery, on: place, under: token)
            }
        case .flatMapLatest:
            let streams = random.oneIn(2) ? scope.promises : scope.streams
            let kind = random.oneIn(3) && !scope.futures.isEmpty ? scope.futures : streams
            let inner = (0..<(1 + random.below(2))).compactMap { _ in random.pick(kind) }
            return inner.isEmpty ? nil : .flatMapLatest(of: stream, to: inner, on: place, under: token)
        case .merge:
            return .merge((0..<(1 + random.below(3))).compactMap { _ in random.pick(scope.streams) }, under: token)
        case .pair:
            guard let pairing = random.pick(StreamProgram.Pairing.allCases) else { return nil }
            return random.pick(scope.streams).map { .pair(pairing, stream, $0, under: token) }
        case .first: return .first(of: stream, under: token)
        case .reduce: return .reduce(stream, on: place, under: token)
        case .emit: return pick(scope.completable, thread).map { .emit($0, isSuccess: !random.oneIn(4)) }
        case .finish: return pick(scope.promises, thread).map { .finish($0) }
        case .completeWith:
            let isFuture = random.oneIn(2) && !scope.futurePromises.isEmpty
            guard let target = pick(isFuture ? scope.futurePromises : scope.promises, thread) else { return nil }
            return .completeWith(
                target, from: isFuture || random.oneIn(2) ? stream : random.pick(scope.futures) ?? stream)
        case .dropPromise: return pick(scope.completable, thread).map { .dropPromise($0) }
        case .dropStream: return .dropStream(random.oneIn(3) ? random.pick(scope.futures) ?? stream : stream)
        case .listen:
            let kind = random.oneIn(2) ? random.pick(StreamProgram.Kind.allCases) ?? .elements : .elements
            return .listen(to: stream, kind, on: place, under: kind == .cancel ? nil : token)
        case .token: return .token
        case .cancel: return random.pick(scope.registrations.map(\.token) + scope.tokens).map { .cancel($0) }
        case .cancelOn:
            if random.oneIn(4) { return random.pick(scope.tokens).map { .cancelOn(stream, token: $0) } }
            return random.pick(scope.registrations).map { .cancelOn($0.stream, token: $0.token) }
        case .loop:
            let limit = random.oneIn(2) ? 1 + random.below(3) : nil
            // On one thread it is unpredictable how many elements pile up before a task continues.
            let buffering = thread != nil && limit == nil && random.oneIn(2) ? buffering() : nil
            return .loop(random.oneIn(2) ? .results : .values, over: stream, limit: limit, buffering)
        case .iterator:
            return thread == nil ? .iterator(random.oneIn(2) ? .results : .values, over: stream, buffering()) : nil
        case .pull:
            guard let iterator = random.pick(scope.iterators), thread == nil else { return nil }
            return random.oneIn(6) ? .dropIterator(iterator) : .pull(iterator, count: 1 + random.below(3))
        case .cancelTask: return random.pick(scope.loops).map { .cancelTask($0) }
        // On several threads, the contexts' tasks run at the end.
        case .drain: return thread == nil ? .drain(random.pick([.queue, .manual, .crowd]) ?? .manual) : nil
        case .advance: return thread == nil ? .advance : nil
        }
    }

    private mutating func buffering() -> StreamProgram.Buffering {
        StreamProgram.Buffering(
            kind: random.pick(StreamProgram.Buffering.Kind.allCases) ?? .newest, bound: 1 + random.below(3))
    }

    private enum Ingredient: CaseIterable {
        case promise, future, transform, flatMap, flatMapLatest, merge, pair, first, reduce, emit, finish, completeWith,
            dropPromise,
            dropStream, listen, token
        case cancel, cancelOn, loop, cancelTask, iterator, pull, drain, advance

        var usual: Int {
            switch self {
            case .emit: 14
            case .listen: 8
            case .transform, .drain: 6
            case .pull: 5
            case .cancel, .loop: 4
            case .flatMap, .flatMapLatest, .token, .cancelOn, .cancelTask, .finish, .advance, .pair: 3
            case .promise, .future, .completeWith, .merge, .first, .reduce, .iterator, .dropStream: 2
            case .dropPromise: 1
            }
        }
    }
}
