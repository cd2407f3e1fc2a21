@testable import TestSupport

/// Generates random programs.
struct FutureGenerator: ProgramGenerator {
    var random: Random
    var program = FutureProgram()
    private let mixture: Mixture<Ingredient>

    struct Scope: ProgramScope {
        var futures: [Int] = []
        var promises: [Int] = []
        var bare: [Int] = []
        var tokens: [Int] = []
        var tasks: [Int] = []
        /// The registrations: on which future, with which token.
        var registrations: [(future: Int, token: Int)] = []

        var completable: [Int] { promises + bare }

        init() {}

        mutating func add(_ operation: FutureProgram.Operation, _ id: Int) {
            if operation.makesFuture { futures.append(id) }
            if operation.makesToken { tokens.append(id) }
            if operation.isPromise { promises.append(id) }
            if operation.isBare { bare.append(id) }
            if operation.isAwait { tasks.append(id) }
            if let token = operation.token, let future = operation.references.first {
                registrations.append((future, token))
            }
        }
    }

    init(seed: UInt64) {
        random = Random(seed: seed)
        mixture = Mixture(&random) { $0.usual }
    }

    mutating func basis() -> [FutureProgram.Operation] {
        // Sometimes several, so that there are inputs to combine.
        let promises = Array(repeating: FutureProgram.Operation.promise, count: random.oneIn(3) ? 3 : 1)
        return random.oneIn(3) ? promises : promises + [.token]
    }

    mutating func operation(_ scope: Scope, thread: Int?) -> FutureProgram.Operation? {
        guard !scope.futures.isEmpty else { return .promise }
        guard let future = pickLatest(scope.futures, thread), let ingredient = mixture.pick(&random) else { return nil }
        let place = random.oneIn(2) ? Place.immediate : random.pick(Place.allCases) ?? .immediate
        let token = random.oneIn(3) ? nil : random.pick(scope.tokens)
        switch ingredient {
        case .promise: return .promise
        case .bare: return .bare
        case .value: return .value
        case .transform:
            guard let transform = random.pick(FutureProgram.Transform.allCases) else { return nil }
            return .transform(transform, of: future, on: place, under: transform.takesToken ? token : nil)
        case .flatMap:
            guard let inner = random.pick(scope.futures) else { return nil }
            return .flatMap(of: future, to: inner, isRecovery: random.oneIn(3), on: place, under: token)
        case .gather:
            let kinds = FutureProgram.Gathering.allCases
            guard let gathering = random.pick(random.oneIn(3) ? kinds.filter(\.takesClosure) : kinds) else {
                return nil
            }
            let count = random.oneIn(8) ? 0 : 1 + random.below(4)
            // Often promises: on one thread, futures derived from the same source cannot be inputs of one combined
            // future.
            let candidates = random.oneIn(2) ? scope.completable : scope.futures
            let inputs = (0..<count).compactMap { _ in random.pick(candidates) }
            let place = gathering.takesClosure ? random.pick(Place.allCases) ?? .manual : .immediate
            return .gather(gathering, of: inputs, on: place)
        case .retry:
            let attempts = (0..<(1 + random.below(3))).compactMap { _ in random.pick(scope.futures) }
            let hasDelay = random.oneIn(2)
            return .retry(attempts, hasDelay: hasDelay, on: hasDelay ? .manual : place, under: token)
        case .timeout: return .timeout(of: future, under: token)
        case .delay: return .delay(of: future, under: token)
        case .asyncFuture: return .asyncFuture(of: future, under: token)
        case .complete:
            let isSuccess = !random.oneIn(3)
            return pick(scope.completable, thread).map {
                random.oneIn(3) ? .complete($0, isSuccess: isSuccess) : .tryComplete($0, isSuccess: isSuccess)
            }
        case .completeWith: return pick(scope.promises, thread).map { .completeWith($0, from: future) }
        case .dropPromise: return pick(scope.promises, thread).map { .dropPromise($0) }
        case .dropFuture: return .dropFuture(random.oneIn(2) ? pick(scope.completable, thread) ?? future : future)
        case .listen:
            let kind = random.oneIn(3) ? random.pick(FutureProgram.Kind.allCases) ?? .complete : .complete
            let target = random.oneIn(6) ? pick(scope.promises, thread) : nil
            return .listen(to: future, kind, on: place, under: kind == .cancel ? nil : token, completing: target)
        case .token: return random.oneIn(2) ? random.pick(Array(scope.tokens.suffix(2))).map { .child(of: $0) } : .token
        case .handler: return random.pick(scope.tokens).map { .handler(on: $0) }
        case .cancel:
            return random.pick(random.oneIn(3) ? scope.tokens : scope.registrations.map(\.token)).map { .cancel($0) }
        case .cancelOn:
            if random.oneIn(4) { return random.pick(scope.tokens).map { .cancelOn(future, token: $0) } }
            return random.pick(scope.registrations).map { .cancelOn($0.future, token: $0.token) }
        case .await: return .await(future, cancelling: random.oneIn(2) ? token : nil, abandons: random.oneIn(2))
        case .cancelTask: return random.pick(scope.tasks).map { .cancelTask($0) }
        // On several threads, the contexts' tasks run at the end.
        case .drain: return thread == nil ? .drain(random.pick([.queue, .manual, .crowd]) ?? .manual) : nil
        case .advance: return thread == nil ? .advance : nil
        }
    }

    private enum Ingredient: CaseIterable {
        case promise, bare, value, transform, flatMap, gather, retry, timeout, delay, asyncFuture, complete
        case completeWith, dropPromise, dropFuture, listen, token, handler, cancel, cancelOn, await, cancelTask, drain,
            advance

        var usual: Int {
            switch self {
            case .complete: 9
            case .listen: 8
            case .transform, .cancel: 6
            case .flatMap, .token: 5
            case .cancelOn: 4
            case .gather: 4
            case .drain, .completeWith, .dropFuture, .dropPromise, .advance, .await, .cancelTask: 3
            case .promise, .retry, .timeout, .delay, .handler: 2
            case .bare, .value, .asyncFuture: 1
            }
        }
    }
}
