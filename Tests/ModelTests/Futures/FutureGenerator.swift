/// Makes programs at random.
struct FutureGenerator {
    private var random: Random
    private var nextID = 1
    private var program = FutureProgram()
    private let mixture: Mixture<Ingredient>

    /// What the steps of a thread may use.
    private struct Scope {
        var futures: [Int] = []
        var promises: [Int] = []
        var bare: [Int] = []
        var tokens: [Int] = []
        var tasks: [Int] = []
        /// On which futures something was registered under which tokens.
        var registrations: [(future: Int, token: Int)] = []

        var completable: [Int] { promises + bare }
    }

    init(seed: UInt64) {
        random = Random(seed: seed)
        mixture = Mixture(&random) { $0.usual }
    }

    /// A program for one thread.
    static func sequential(seed: UInt64) -> FutureProgram {
        var generator = FutureGenerator(seed: seed)
        let length = 6 + generator.random.below(22)
        var scope = Scope()
        generator.addBasis(to: &scope)
        for _ in 0..<length { generator.addStep(to: &scope, thread: nil) }
        return generator.program
    }

    /// A program for several threads.
    static func concurrent(seed: UInt64) -> FutureProgram {
        var generator = FutureGenerator(seed: seed)
        let threads = 2 + (generator.random.oneIn(4) ? 1 + generator.random.below(2) : 0)
        generator.program.threads = Array(repeating: [], count: threads)
        var common = Scope()
        generator.addBasis(to: &common)
        for _ in 0..<generator.random.below(8) { generator.addStep(to: &common, thread: nil) }
        for thread in 0..<threads {
            var scope = common
            for _ in 0..<(2 + generator.random.below(5)) { generator.addStep(to: &scope, thread: thread) }
        }
        return generator.program
    }

    private mutating func addBasis(to scope: inout Scope) {
        add(.promise, to: &scope, thread: nil)
        if !random.oneIn(3) { add(.token, to: &scope, thread: nil) }
    }

    private mutating func addStep(to scope: inout Scope, thread: Int?) {
        guard nextID < 58 else { return }
        for _ in 0..<8 {
            if let operation = operation(scope, thread: thread), add(operation, to: &scope, thread: thread) { return }
        }
    }

    /// Adds a step, unless the program would break a rule.
    @discardableResult
    private mutating func add(_ operation: FutureProgram.Operation, to scope: inout Scope, thread: Int?) -> Bool {
        let id = nextID
        let longer = program.adding(FutureProgram.Step(id: id, operation: operation), to: thread)
        guard !operation.mayBreakRules || longer.isValid else { return false }
        program = longer
        nextID += 1
        if operation.makesFuture { scope.futures.append(id) }
        if operation.makesToken { scope.tokens.append(id) }
        if operation.isPromise { scope.promises.append(id) }
        if operation.isBare { scope.bare.append(id) }
        if operation.isAwait { scope.tasks.append(id) }
        if let token = operation.token, let future = operation.references.first {
            scope.registrations.append((future, token))
        }
        return true
    }

    private mutating func operation(_ scope: Scope, thread: Int?) -> FutureProgram.Operation? {
        guard !scope.futures.isEmpty else { return .promise }
        // The newest futures more often, so that chains grow.
        guard
            let future = pick(
                random.oneIn(2) && thread == nil ? Array(scope.futures.suffix(3)) : scope.futures, thread),
            let ingredient = mixture.pick(&random)
        else { return nil }
        let place = random.oneIn(2) ? Place.immediate : random.pick(Place.allCases) ?? .immediate
        let token = random.oneIn(3) ? nil : random.pick(scope.tokens)
        switch ingredient {
        case .promise: return .promise
        case .bare: return .bare
        case .value: return .value
        case .transform:
            guard let transform = random.pick(FutureProgram.Transform.allCases) else { return nil }
            return .transform(transform, of: future, on: place, under: token)
        case .flatMap:
            guard let inner = random.pick(scope.futures) else { return nil }
            return .flatMap(of: future, to: inner, isRecovery: random.oneIn(3), on: place, under: token)
        case .gather:
            let kinds = FutureProgram.Gathering.allCases
            guard let gathering = random.pick(random.oneIn(3) ? kinds.filter(\.takesClosure) : kinds) else {
                return nil
            }
            let count = random.oneIn(8) ? 0 : 1 + random.below(4)
            // Often promises: what derives from the same one cannot be gathered on one thread.
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
        // What several threads have given to the contexts runs when they are done.
        case .drain: return thread == nil ? .drain(random.pick([.queue, .manual, .crowd]) ?? .manual) : nil
        case .advance: return thread == nil ? .advance : nil
        }
    }

    /// Any of these; on a thread the first more often, so that threads meet there.
    private mutating func pick(_ ids: [Int], _ thread: Int?) -> Int? {
        thread != nil && random.oneIn(2) ? ids.first : random.pick(ids)
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
