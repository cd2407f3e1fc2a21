import SimpleFutures
import Testing

/// The combinators of several inputs, with results in a common form: the values in order.
enum ManyInputs: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case sequence, zip, traverse, boundedTraverse, fold, reduce, settled
    case firstCompleted, firstSucceeded, find

    var testDescription: String { rawValue }

    /// Whether the first suitable input is the result.
    var isRace: Bool { self == .firstCompleted || self == .firstSucceeded || self == .find }

    /// Whether failed and canceled inputs are ignored.
    private var isTolerant: Bool { self == .firstSucceeded || self == .find || self == .settled }

    /// The value for a failure among the results of `settled`.
    static let failed = -1
    /// The value for a cancellation.
    static let cancelled = -2
    /// The value for a broken promise.
    static let broken = -3

    /// When the combinator's closure runs.
    var runs: FutureCombinator.Trigger {
        switch self {
        case .fold, .reduce, .find: .value
        case .traverse, .boundedTraverse: .atOnce
        default: .never
        }
    }

    /// How often the closure runs for three inputs that succeed.
    var runCount: Int { self == .find ? 1 : self == .reduce ? 2 : 3 }

    /// Applies the combinator.
    ///
    /// Its closure, if it takes one, calls `body`.
    func apply(
        _ inputs: [Future<Int>], on context: any ExecutionContext = immediate,
        _ body: @escaping @Sendable (Int) throws -> Void = { _ in }
    ) -> Future<[Int]> {
        switch self {
        case .sequence: return inputs.sequence(context: context)
        case .zip:
            guard inputs.count == 3 else { return inputs.sequence() }
            return SimpleFutures.zip(inputs[0], inputs[1], inputs[2]).map(context: immediate) { [$0, $1, $2] }
        case .traverse:
            return inputs.traverse(context: context) { input in
                try body(0)
                return input
            }
        case .boundedTraverse:
            return inputs.traverse(maxConcurrent: inputs.count + 1, context: context) { input in
                try body(0)
                return input
            }
        case .fold:
            let whole = inputs.fold(context: context, initial: Values()) { values, value in
                try body(value)
                return values.adding(value)
            }
            return whole.map(context: immediate) { $0.all }
        case .reduce:
            let seen = Values()
            let last = inputs.reduce(context: context) { value, next in
                try body(next)
                if seen.isEmpty { _ = seen.adding(value) }
                _ = seen.adding(next)
                return next
            }
            return last.map(context: immediate) { seen.isEmpty ? [$0] : seen.all }
        case .settled:
            return inputs.settled().map(context: immediate) { results in results.map(Self.number) }
        case .firstCompleted: return inputs.firstCompleted().map(context: immediate) { [$0] }
        case .firstSucceeded: return inputs.firstSucceeded().map(context: immediate) { [$0] }
        case .find:
            let found = inputs.find(context: context) { value in
                try body(value)
                return value >= 0
            }
            return found.map(context: immediate) { [$0] }
        }
    }

    var outcomeOfNone: Outcome<[Int]> {
        isRace || self == .reduce ? .failure(FuturesError.noSuchElement) : .success([])
    }

    /// The result when one of three inputs does not succeed before the two others return 7 and 8, and whether it
    /// arrives without waiting for them.
    func outcome(of ending: Source.Ending, at place: Int) -> (outcome: Outcome<[Int]>, isAtOnce: Bool) {
        if self == .settled {
            var numbers = [7, 8]
            numbers.insert(Self.number(ending), at: place)
            return (.success(numbers), false)
        }
        if isTolerant || (self == .firstCompleted && ending == .cancellation) { return (.success([7]), false) }
        return (ending.passedOn(success: .success([])), true)
    }

    /// The result when its only input, or each of its inputs, ends in this way.
    func outcome(ofOneAlone ending: Source.Ending, count: Int = 1) -> Outcome<[Int]> {
        switch ending {
        case _ where self == .settled: .success(Array(repeating: Self.number(ending), count: count))
        case .success: .success(Array(repeating: 1, count: count))
        case .cancellation: .cancelled
        case .failure, .breach:
            isTolerant ? .failure(FuturesError.noSuchElement) : ending.passedOn(success: .success([]))
        }
    }

    private static func number(_ ending: Source.Ending) -> Int {
        switch ending {
        case .success: 1
        case .failure: failed
        case .cancellation: cancelled
        case .breach: broken
        }
    }

    private static func number(_ result: Try<Int>) -> Int {
        switch result {
        case .success(let value): value
        case .failure(let error):
            switch error {
            case is CancellationError: cancelled
            case FuturesError.brokenPromise: broken
            default: failed
            }
        }
    }
}

/// A growing array in a class, so that a hundred thousand values are not copied a hundred thousand times.
private final class Values: Sendable {
    private let numbers = Lock<[Int]>([])

    init() {}

    var all: [Int] { numbers.withLock { $0 } }
    var isEmpty: Bool { numbers.withLock { $0.isEmpty } }

    func adding(_ number: Int) -> Values {
        numbers.withLock { $0.append(number) }
        return self
    }
}
