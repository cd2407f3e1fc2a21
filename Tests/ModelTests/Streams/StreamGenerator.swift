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
        var futures: [Int] = []
        var tokens: [Int] = []
        var loops: [Int] = []
        var iterators: [Int] = []
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
        let longer = program.adding(StreamProgram.Step(id: id, operation: operation), to: thread)
        guard !operation.mayBreakRules || longer.isValid else { return false }
        program = longer
        nextID += 1
        if operation.isFuture { scope.futures.append(id) } else if operation.makesStream { scope.streams.append(id) }
        if operation.isToken { scope.tokens.append(id) }
        if operation.isPromise { scope.promises.append(id) }
        if operation.isLoop { scope.loops.append(id) }
        if operation.isIterator { scope.iterators.append(id) }
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
        case .future: return .future
        case .flatMap:
            let source = random.oneIn(2) ? random.pick(scope.futures) ?? stream : stream
            let inner = scope.futures.contains(source) ? scope.streams : scope.streams + scope.futures
            return random.pick(inner).map { .flatMap(of: source, to: $0, on: place, under: token) }
        case .merge:
            return .merge((0..<(1 + random.below(3))).compactMap { _ in random.pick(scope.streams) }, under: token)
        case .zip: return random.pick(scope.streams).map { .zip(stream, $0, under: token) }
        case .emit: return pick(scope.promises, thread).map { .emit($0, isSuccess: !random.oneIn(4)) }
        case .finish: return pick(scope.promises.filter { !scope.futures.contains($0) }, thread).map { .finish($0) }
        case .completeWith:
            let isFuture = random.oneIn(2) && !scope.futures.isEmpty
            guard let target = pick(isFuture ? scope.futures : scope.promises, thread) else { return nil }
            return .completeWith(
                target, from: isFuture || random.oneIn(2) ? stream : random.pick(scope.futures) ?? stream)
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
            // How many elements pile up before a task gets round to them is not known on one thread.
            let buffering = thread != nil && limit == nil && random.oneIn(2) ? buffering() : nil
            return .loop(random.oneIn(2) ? .results : .values, over: stream, limit: limit, buffering)
        case .iterator:
            return thread == nil ? .iterator(random.oneIn(2) ? .results : .values, over: stream, buffering()) : nil
        case .pull:
            guard let iterator = random.pick(scope.iterators), thread == nil else { return nil }
            return random.oneIn(6) ? .dropIterator(iterator) : .pull(iterator, count: 1 + random.below(3))
        case .cancelTask: return random.pick(scope.loops).map { .cancelTask($0) }
        // What several threads have given to the contexts runs when they are done.
        case .drain: return thread == nil ? .drain(random.pick([.queue, .manual, .crowd]) ?? .manual) : nil
        case .advance: return thread == nil ? .advance : nil
        }
    }

    private mutating func buffering() -> StreamProgram.Buffering {
        StreamProgram.Buffering(
            kind: random.pick(StreamProgram.Buffering.Kind.allCases) ?? .newest, bound: 1 + random.below(3))
    }

    /// Any of these; on a thread the first more often, so that threads meet there.
    private mutating func pick(_ ids: [Int], _ thread: Int?) -> Int? {
        thread != nil && random.oneIn(2) ? ids.first : random.pick(ids)
    }

    private enum Ingredient: CaseIterable {
        case promise, future, transform, flatMap, merge, zip, emit, finish, completeWith, dropPromise, dropStream,
            listen, token
        case cancel, cancelOn, loop, cancelTask, iterator, pull, drain, advance

        var usual: Int {
            switch self {
            case .emit: 14
            case .listen: 8
            case .transform, .drain: 6
            case .pull: 5
            case .cancel, .loop: 4
            case .token, .cancelOn, .cancelTask, .finish, .advance: 3
            case .promise, .flatMap, .merge, .zip, .iterator: 2
            case .completeWith: 2
            case .future, .dropPromise, .dropStream: 1
            }
        }
    }
}
