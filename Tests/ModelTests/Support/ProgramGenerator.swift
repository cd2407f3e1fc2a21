@testable import TestSupport

/// The objects that the steps of a thread may use.
protocol ProgramScope<Operation> {
    associatedtype Operation: ProgramOperation

    init()

    /// Adds the object that a step creates.
    mutating func add(_ operation: Operation, _ id: Int)
}

/// Generates random programs.
protocol ProgramGenerator {
    associatedtype Subject: Program
    associatedtype Scope: ProgramScope<Subject.Operation>

    var random: Random { get set }
    var program: Subject { get set }

    init(seed: UInt64)

    /// The first steps of every program.
    mutating func basis() -> [Subject.Operation]

    /// A possible next step; nil to try again.
    mutating func operation(_ scope: Scope, thread: Int?) -> Subject.Operation?
}

extension ProgramGenerator {
    /// Generates a program for one thread.
    static func sequential(seed: UInt64) -> Subject {
        var generator = Self(seed: seed)
        var scope = generator.begin()
        for _ in 0..<(6 + generator.random.below(22)) { generator.addStep(to: &scope, thread: nil) }
        return generator.program
    }

    /// Generates a program for several threads.
    static func concurrent(seed: UInt64) -> Subject {
        var generator = Self(seed: seed)
        let threads = 2 + (generator.random.oneIn(4) ? 1 + generator.random.below(2) : 0)
        generator.program.threads = Array(repeating: [], count: threads)
        var common = generator.begin()
        for _ in 0..<generator.random.below(8) { generator.addStep(to: &common, thread: nil) }
        for thread in 0..<threads {
            var scope = common
            for _ in 0..<(2 + generator.random.below(5)) { generator.addStep(to: &scope, thread: thread) }
        }
        return generator.program
    }

    private mutating func begin() -> Scope {
        var scope = Scope()
        for operation in basis() { _ = add(operation, to: &scope, thread: nil) }
        return scope
    }

    private mutating func addStep(to scope: inout Scope, thread: Int?) {
        // The rules use a bit for each step.
        guard program.count < 57 else { return }
        for _ in 0..<8 {
            if let operation = operation(scope, thread: thread), add(operation, to: &scope, thread: thread) { return }
        }
    }

    /// Adds a step, unless the program would break a rule.
    private mutating func add(_ operation: Subject.Operation, to scope: inout Scope, thread: Int?) -> Bool {
        let id = program.count + 1
        let longer = program.adding(ProgramStep(id: id, operation: operation), to: thread)
        guard !operation.mayBreakRules || longer.isValid else { return false }
        program = longer
        scope.add(operation, id)
        return true
    }

    /// Picks one of these; on a thread more often the first, so that threads meet there.
    mutating func pick(_ ids: [Int], _ thread: Int?) -> Int? {
        thread != nil && random.oneIn(2) ? ids.first : random.pick(ids)
    }

    /// Picks one of these, more often the newest, so that chains grow; on a thread the first.
    mutating func pickLatest(_ ids: [Int], _ thread: Int?) -> Int? {
        pick(random.oneIn(2) && thread == nil ? Array(ids.suffix(3)) : ids, thread)
    }
}
