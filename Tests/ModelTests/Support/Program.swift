/// What a program does in one step.
protocol ProgramOperation: Sendable {
    /// The steps that have made what it uses.
    var references: [Int] { get }

    /// Whether a program that keeps the rules may break them with it.
    var mayBreakRules: Bool { get }

    /// The context that it lets run.
    var settling: Place? { get }

    /// As it is printed, under the number of its step.
    func text(_ id: Int) -> String
}

/// One thing that a program does.
struct ProgramStep<Operation: ProgramOperation>: Sendable, CustomStringConvertible {
    let id: Int
    let operation: Operation

    var description: String { operation.text(id) }
}

/// What is done first, on one thread, and what several threads then do.
///
/// A program for one thread has no threads, only a beginning. What a step makes goes by the number of the step. A step
/// of a thread uses what the beginning and that thread have made.
protocol Program: CustomStringConvertible, Sendable {
    associatedtype Operation: ProgramOperation
    typealias Step = ProgramStep<Operation>

    var beginning: [Step] { get set }
    var threads: [[Step]] { get set }

    init()

    /// Whether all rules are kept.
    var isValid: Bool { get }

    /// Whether some of it is done by tasks, which take their time.
    var usesTasks: Bool { get }

    /// What ends everything, in steps that all have the number `endingID`.
    var ending: [Step] { get }
}

/// The number of all steps with which a program ends.
let endingID = 1000

extension Program {
    var steps: [Step] { beginning + threads.joined() }
    var isSequential: Bool { threads.isEmpty }
    var count: Int { beginning.count + threads.reduce(0) { $0 + $1.count } }

    /// The program with one more step, at the end of the beginning or of a thread.
    func adding(_ step: Step, to thread: Int?) -> Self {
        var longer = self
        if let thread { longer.threads[thread].append(step) } else { longer.beginning.append(step) }
        return longer
    }

    /// The program without the steps at these places, and without whatever refers to them, if it is one that may be
    /// run.
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

    /// Whether a step was done before another for sure.
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
