/// Makes programs at random.
struct FutureGenerator {
    private var random: Random
    private var nextID = 1
    private var program = FutureProgram()

    /// What the steps of a thread may use.
    private struct Scope {
        var futures: [Int] = []
        var promises: [Int] = []
        var bare: [Int] = []
        var tokens: [Int] = []
        var tasks: [Int] = []

        var completable: [Int] { promises + bare }
    }

    init(seed: UInt64) { random = Random(seed: seed) }

    /// A program for one thread.
    static func sequential(seed: UInt64) -> FutureProgram {
        var generator = FutureGenerator(seed: seed)
        let length = 6 + generator.random.below(22)
        var scope = Scope()
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
        if random.oneIn(2) { add(.token, to: &scope, thread: nil) }
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
        var longer = program
        let step = FutureProgram.Step(id: id, operation: operation)
        if let thread { longer.threads[thread].append(step) } else { longer.beginning.append(step) }
        guard longer.isValid else { return false }
        program = longer
        nextID += 1
        if operation.makesFuture { scope.futures.append(id) }
        if operation.makesToken { scope.tokens.append(id) }
        if operation.isPromise { scope.promises.append(id) }
        if operation.isBare { scope.bare.append(id) }
        if operation.isAwait { scope.tasks.append(id) }
        return true
    }

    private mutating func operation(_ scope: Scope, thread: Int?) -> FutureProgram.Operation? {
        guard !scope.futures.isEmpty else { return .promise }
        // The newest futures more often, so that chains grow.
        let recent = random.oneIn(2) ? Array(scope.futures.suffix(3)) : scope.futures
        guard let future = random.pick(recent) else { return nil }
        let place = random.oneIn(2) ? Place.immediate : random.pick(Place.allCases) ?? .immediate
        let token = random.oneIn(2) ? random.pick(scope.tokens) : nil
        switch random.below(thread == nil ? 62 : 56) {
        case 0..<5: return .promise
        case 5..<7: return .bare
        case 7: return .value
        case 8..<14:
            return .transform(
                random.pick(FutureProgram.Transform.allCases) ?? .map, of: future, on: place, under: token)
        case 14..<17:
            guard let inner = random.pick(scope.futures) else { return nil }
            return .flatMap(of: future, to: inner, isRecovery: random.oneIn(3), on: place, under: token)
        case 17..<20:
            let inputs = (0..<(random.oneIn(8) ? 0 : 1 + random.below(4))).compactMap { _ in random.pick(scope.futures)
            }
            return .gather(random.pick(FutureProgram.Gathering.allCases) ?? .zip, of: inputs)
        case 20: return .timeout(of: future, under: token)
        case 21: return .delay(of: future, under: token)
        case 22: return .asyncFuture(of: future, under: token)
        case 23..<26: return random.pick(scope.completable).map { .complete($0, isSuccess: !random.oneIn(3)) }
        case 26..<31: return random.pick(scope.completable).map { .tryComplete($0, isSuccess: !random.oneIn(3)) }
        case 31..<33: return random.pick(scope.promises).map { .completeWith($0, from: future) }
        case 33..<35: return random.pick(scope.promises).map { .dropPromise($0) }
        case 35: return .dropFuture(future)
        case 36..<44:
            let kind = random.oneIn(3) ? random.pick(FutureProgram.Kind.allCases) ?? .complete : .complete
            let target = random.oneIn(6) ? random.pick(scope.promises) : nil
            return .listen(to: future, kind, on: place, under: kind == .cancel ? nil : token, completing: target)
        case 44..<46: return .token
        case 46: return random.pick(scope.tokens).map { .child(of: $0) }
        case 47: return random.pick(scope.tokens).map { .handler(on: $0) }
        case 48..<50: return random.pick(scope.tokens).map { .cancel($0) }
        case 50..<52: return random.pick(scope.tokens).map { .cancelOn(future, token: $0) }
        case 52..<54: return .await(future)
        case 54..<56: return random.pick(scope.tasks).map { .cancelTask($0) }
        case 56..<60: return .drain(random.pick([.queue, .manual, .crowd]) ?? .manual)
        default: return .advance
        }
    }
}
