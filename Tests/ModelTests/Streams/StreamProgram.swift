/// A program over streams: what is done first, on one thread, and what several threads then do.
///
/// As with futures a program for one thread has a beginning alone, and what a step makes goes by the step's number.
struct StreamProgram: Sendable {
    var beginning: [Step] = []
    var threads: [[Step]] = []

    struct Step: Sendable {
        let id: Int
        let operation: Operation
    }

    enum Transform: CaseIterable, Sendable {
        case map, mapThrowing, filterEven, compactMapEven, andThen, recover, mapError, take, drop

        /// Whether it takes a closure, which runs on a context.
        var takesClosure: Bool { self != .take && self != .drop }
    }

    enum Kind: CaseIterable, Sendable {
        case elements, success, failure, finish, cancel

        func wants(_ end: End) -> Bool {
            switch self {
            case .elements: end.isSuccess || end.isFailure
            case .success: end.isSuccess
            case .failure: end.isFailure
            case .finish: end == .finished
            case .cancel: end == .cancelled
            }
        }
    }

    enum Loop: CaseIterable, Sendable {
        /// `results`, where failures are elements.
        case results
        /// `subscription()`, where the first failure is thrown.
        case values
    }

    enum Operation: Sendable {
        case promise(capacity: Int)
        case transform(Transform, of: Int, on: Place, under: Int?)
        case flatMap(of: Int, to: Int, on: Place, under: Int?)
        case merge([Int], under: Int?)

        case emit(Int, isSuccess: Bool)
        case finish(Int)
        case completeWith(Int, from: Int)
        case dropPromise(Int)
        case dropStream(Int)

        case listen(to: Int, Kind, on: Place, under: Int?)

        case token
        case cancel(Int)
        case cancelOn(Int, token: Int)

        /// A task that iterates, up to so many elements.
        case loop(Loop, over: Int, limit: Int?)
        case cancelTask(Int)

        case drain(Place)
    }

    var steps: [Step] { beginning + threads.joined() }
    var isSequential: Bool { threads.isEmpty }

    /// How many elements `take` takes, and `drop` drops.
    static let slice = 2
}

extension StreamProgram.Operation {
    var makesStream: Bool {
        switch self {
        case .promise, .transform, .flatMap, .merge: true
        default: false
        }
    }

    /// Whether a program that keeps the rules may break them with it.
    var mayBreakRules: Bool {
        switch self {
        case .flatMap, .merge, .completeWith: true
        default: false
        }
    }

    var isPromise: Bool { if case .promise = self { true } else { false } }
    var isFlatMap: Bool { if case .flatMap = self { true } else { false } }
    var isToken: Bool { if case .token = self { true } else { false } }
    var isLoop: Bool { if case .loop = self { true } else { false } }

    /// The streams that emit into the one that it makes.
    var sources: [Int] {
        switch self {
        case .transform(_, let source, _, _): [source]
        case .flatMap(let source, let inner, _, _): [source, inner]
        case .merge(let sources, _): sources
        default: []
        }
    }

    var token: Int? {
        switch self {
        case .transform(_, _, _, let token), .flatMap(_, _, _, let token), .merge(_, let token),
            .listen(_, _, _, let token):
            token
        default: nil
        }
    }

    var place: Place {
        switch self {
        case .transform(_, _, let place, _), .flatMap(_, _, let place, _), .listen(_, _, let place, _): place
        default: .immediate
        }
    }

    /// The steps that have made what it uses.
    var references: [Int] {
        switch self {
        case .promise, .token, .drain: []
        case .transform, .flatMap, .merge: sources + [token].compactMap { $0 }
        case .emit(let id, _), .finish(let id), .dropPromise(let id), .dropStream(let id), .cancel(let id),
            .loop(_, let id, _), .cancelTask(let id):
            [id]
        case .completeWith(let target, let source): [target, source]
        case .listen(let stream, _, _, let token): [stream] + [token].compactMap { $0 }
        case .cancelOn(let stream, let token): [stream, token]
        }
    }
}

extension StreamProgram.Transform {
    /// What becomes of an element, given how many came before; nil when it is left out.
    func applied(to element: End, before: Int) -> End? {
        switch (self, element) {
        case (.map, .success(let number)): .success(number + 100)
        case (.mapThrowing, .success(let number)): .failure(number + 200)
        case (.filterEven, .success(let number)): number.isMultiple(of: 2) ? element : .noSuchElement
        case (.compactMapEven, .success(let number)): number.isMultiple(of: 2) ? element : nil
        case (.recover, _) where element.isFailure: .success(element.number + 300)
        case (.mapError, _) where element.isFailure: .failure(element.number + 500)
        case (.take, _): before < StreamProgram.slice ? element : nil
        case (.drop, _): before < StreamProgram.slice ? nil : element
        default: element
        }
    }
}
