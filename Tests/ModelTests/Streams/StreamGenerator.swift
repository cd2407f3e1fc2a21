/// Makes programs at random.
struct StreamGenerator {
    private var random: Random
    private var nextID = 1
    private var program = StreamProgram()
    private let mixture: Mixture<Ingredient>

    /// What the steps of a thread may use.
    private struct Scope {
        var streams: [Int] = []
        var promises: [Int] = []
        var tokens: [Int] = []
        var loops: [Int] = []
        /// On which streams something was registered under which tokens.
        var registrations: [(stream: Int, token: Int)] = []
    }

    init(seed: UInt64) {
        random = Random(seed: seed)
        mixture = Mixture(&random) { $0.usual }
    }

    /// A program for one thread.
    static func sequential(seed: UInt64) -> StreamProgram {
        var generator = StreamGenerator(seed: seed)
        let length = 6 + generator.random.below(22)
        var scope = Scope()
        for _ in 0..<length { generator.addStep(to: &scope, thread: nil) }
        return generator.program
    }

    /// A program for several threads.
    static func concurrent(seed: UInt64) -> StreamProgram {
        var generator = StreamGenerator(seed: seed)
        let threads = 2 + (generator.random.oneIn(4) ? 1 + generator.random.below(2) : 0)
        generator.program.threads = Array(repeating: [], count: threads)
        var common = Scope()
        for _ in 0..<(1 + generator.random.below(8)) { generator.addStep(to: &common, thread: nil) }
        for thread in 0..<threads {
            var scope = common
            for _ in 0..<(2 + generator.random.below(6)) { generator.addStep(to: &scope, thread: thread) }
        }
        return generator.program
    }

    private mutating func addStep(to scope: inout Scope, thread: Int?) {
        guard nextID < 58 else { return }
        for _ in 0..<8 {
            if let operation = operation(scope, thread: thread), add(operation, to: &scope, thread: thread) { return }
        }
    }

    /// Adds a step, unless the program would break a rule.
    private mutating func add(_ operation: StreamProgram.Operation, to scope: inout Scope, thread: Int?) -> Bool {
        let id = nextID
        var longer = program
        let step = StreamProgram.Step(id: id, operation: operation)
        if let thread { longer.threads[thread].append(step) } else { longer.beginning.append(step) }
        guard !operation.mayBreakRules || longer.isValid else { return false }
        program = longer
        nextID += 1
        if operation.makesStream { scope.streams.append(id) }
        if operation.isToken { scope.tokens.append(id) }
        if operation.isPromise { scope.promises.append(id) }
        if operation.isLoop { scope.loops.append(id) }
        if let token = operation.token, let stream = operation.references.first {
            scope.registrations.append((stream, token))
        }
        return true
    }

    private mutating func operation(_ scope: Scope, thread: Int?) -> StreamProgram.Operation? {
        guard
            let stream = pick(random.oneIn(2) && thread == nil ? Array(scope.streams.suffix(3)) : scope.streams, thread)
        else {
            return .promise(capacity: .max)
        }
        let place = random.oneIn(2) ? Place.immediate : random.pick(Place.allCases) ?? .immediate
        let token = random.oneIn(3) ? nil : random.pick(scope.tokens)
        switch mixture.pick(&random) {
        case nil: return nil
        case .promise: return .promise(capacity: random.oneIn(2) ? .max : random.below(3))
        case .transform:
            guard let transform = random.pick(StreamProgram.Transform.allCases) else { return nil }
            return .transform(transform, of: stream, on: transform.takesClosure ? place : .immediate, under: token)
        case .flatMap: return random.pick(scope.streams).map { .flatMap(of: stream, to: $0, on: place, under: token) }
        case .merge:
            return .merge((0..<(1 + random.below(3))).compactMap { _ in random.pick(scope.streams) }, under: token)
        case .emit: return pick(scope.promises, thread).map { .emit($0, isSuccess: !random.oneIn(4)) }
        case .finish: return pick(scope.promises, thread).map { .finish($0) }
        case .completeWith: return pick(scope.promises, thread).map { .completeWith($0, from: stream) }
        case .dropPromise: return pick(scope.promises, thread).map { .dropPromise($0) }
        case .dropStream: return .dropStream(stream)
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
            return .loop(random.oneIn(2) ? .results : .values, over: stream, limit: limit)
        case .cancelTask: return random.pick(scope.loops).map { .cancelTask($0) }
        // What several threads have given to the contexts runs when they are done.
        case .drain: return thread == nil ? .drain(random.pick([.queue, .manual, .crowd]) ?? .manual) : nil
        }
    }

    /// Any of these; on a thread the first more often, so that threads meet there.
    private mutating func pick(_ ids: [Int], _ thread: Int?) -> Int? {
        thread != nil && random.oneIn(2) ? ids.first : random.pick(ids)
    }

    private enum Ingredient: CaseIterable {
        case promise, transform, flatMap, merge, emit, finish, completeWith, dropPromise, dropStream, listen, token
        case cancel, cancelOn, loop, cancelTask, drain

        var usual: Int {
            switch self {
            case .emit: 14
            case .listen: 8
            case .transform, .drain: 6
            case .cancel, .loop: 4
            case .token, .cancelOn, .cancelTask, .finish: 3
            case .promise, .flatMap, .merge: 2
            case .completeWith, .dropPromise, .dropStream: 1
            }
        }
    }
}
