/// The operation of a step of a program.
protocol ProgramOperation: Sendable {
    /// The steps that created the objects it uses.
    var references: [Int] { get }

    /// Whether adding it to a valid program may break rules.
    var mayBreakRules: Bool { get }

    /// The context that it lets run.
    var settling: Place? { get }

    /// Its printed form, with the number of its step.
    func text(_ id: Int) -> String
}

/// A step of a program.
struct ProgramStep<Operation: ProgramOperation>: Sendable, CustomStringConvertible {
    let id: Int
    let operation: Operation

    var description: String { operation.text(id) }
}

/// A program: a beginning on one thread, followed by the steps of several threads.
///
/// A program for one thread has only a beginning. Objects are identified by the step that creates them. A step of a
/// thread uses objects from the beginning and from that thread.
protocol Program: CustomStringConvertible, Sendable {
    associatedtype Operation: ProgramOperation
    typealias Step = ProgramStep<Operation>

    var beginning: [Step] { get set }
    var threads: [[Step]] { get set }

    init()

    /// Whether all rules are followed.
    var isValid: Bool { get }

    /// Whether it contains tasks, which take time.
    var usesTasks: Bool { get }

    /// The steps that end everything. They all have the number `endingID`.
    var ending: [Step] { get }
}

/// The number of all steps with which a program ends.
let endingID = 1000

extension Program {
    var steps: [Step] { beginning + threads.joined() }
    var isSequential: Bool { threads.isEmpty }
    var count: Int { beginning.count + threads.reduce(0) { $0 + $1.count } }

    /// Returns the program with one more step, at the end of the beginning or of a thread.
    func adding(_ step: Step, to thread: Int?) -> Self {
        var longer = self
        if let thread { longer.threads[thread].append(step) } else { longer.beginning.append(step) }
        return longer
    }

    /// Returns the program without the steps in this range and the steps that depend on them; nil if the result breaks
    /// rules.
    func removing(_ places: Range<Int>) -> Self? {
        var gone = Set(steps[places].map(\.id))
        func isLeft(_ step: Step) -> Bool {
            guard !gone.contains(step.id), step.operation.references.allSatisfy({ !gone.contains($0) }) else {
                gone.insert(step.id)
                return false
            }
            return true
        }
        var smaller = Self()
        smaller.beginning = beginning.filter(isLeft)
        smaller.threads = threads.map { $0.filter(isLeft) }
        return smaller.isValid ? smaller : nil
    }

    var description: String {
        var lines = beginning.map { "       \($0)" }
        for (index, thread) in threads.enumerated() {
            lines += thread.map { "    T\(index) \($0)" }
        }
        return lines.joined(separator: "\n")
    }

    /// Whether a step is certain to be done before another.
    func comesBefore(_ first: Int, _ second: Int) -> Bool {
        guard let left = position(first), let right = position(second) else { return false }
        if left.thread == right.thread { return left.index < right.index }
        return left.thread == nil
    }

    private func position(_ id: Int) -> (thread: Int?, index: Int)? {
        if let index = beginning.firstIndex(where: { $0.id == id }) { return (nil, index) }
        for (thread, steps) in threads.enumerated() {
            if let index = steps.firstIndex(where: { $0.id == id }) { return (thread, index) }
        }
        return nil
    }
}
