/// A program over streams: a beginning on one thread, followed by the steps of several threads.
struct StreamProgram: Program {
    var beginning: [Step] = []
    var threads: [[Step]] = []

    enum Transform: CaseIterable, Sendable {
        case map, mapThrowing, filterEven, compactMapEven, andThen, recover, mapError, scan, distinct, take, drop
        case debounce, throttle, timeout
        /// `throttle(latest: false)`
        case throttleFirst

        /// Whether it takes a closure that runs on a context.
        var takesClosure: Bool { !isPaced && self != .take && self != .drop }

        /// Whether it waits for time to pass.
        var isPaced: Bool {
            switch self {
            case .debounce, .throttle, .timeout, .throttleFirst: true
            default: false
            }
        }
    }

    /// How the elements of two streams are combined.
    enum Pairing: CaseIterable, Sendable { case zip, combineLatest, withLatest }

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
        /// `results`, in which failures are elements.
        case results
        /// `subscription()`, which throws the first failure.
        case values
    }

    /// The buffering policy of a loop.
    struct Buffering: Sendable {
        enum Kind: CaseIterable, Sendable { case newest, oldest, failing, reportingLag }

        let kind: Kind
        let bound: Int
    }

    enum Operation: ProgramOperation {
        case promise(capacity: Int)
        /// A promise of one element: a future.
        case future
        case transform(Transform, of: Int, on: Place, under: Int?)
        /// From a stream to a stream or a future, or from a future to a stream.
        ///
        /// For a recovery `recoverWith`, only from a stream.
        case flatMap(of: Int, to: Int, isRecovery: Bool, on: Place, under: Int?)
        /// `flatMapLatest` from a stream to streams or to futures, which the values choose in turns.
        case flatMapLatest(of: Int, to: [Int], on: Place, under: Int?)
        case merge([Int], under: Int?)
        case pair(Pairing, Int, Int, under: Int?)
        /// A future of a stream's first element.
        case first(of: Int, under: Int?)
        /// A future of all values of a stream, combined by `reduce(into:)`.
        case reduce(Int, on: Place, under: Int?)

        case emit(Int, isSuccess: Bool)
        case finish(Int)
        /// A stream with a stream or a future, or a future with a stream.
        case completeWith(Int, from: Int)
        case dropPromise(Int)
        case dropStream(Int)

        case listen(to: Int, Kind, on: Place, under: Int?)

        case token
        case cancel(Int)
        case cancelOn(Int, token: Int)

        /// A task that iterates, up to a number of elements.
        case loop(Loop, over: Int, limit: Int?, Buffering?)
        case cancelTask(Int)
        /// An iterator that is not used yet.
        case iterator(Loop, over: Int, Buffering)
        /// A task that takes up to a number of elements out of an iterator's buffer.
        case pull(Int, count: Int)
        case dropIterator(Int)

        case drain(Place)
        case advance
    }

    /// The steps that create futures; others create streams.
    var futures: Set<Int> { Set(steps.lazy.filter(\.operation.isFuture).map(\.id)) }
}

extension StreamProgram.Operation {
    var makesStream: Bool {
        switch self {
        case .promise, .future, .transform, .flatMap, .flatMapLatest, .merge, .pair, .first, .reduce: true
        default: false
        }
    }

    var mayBreakRules: Bool {
        switch self {
        case .flatMap, .flatMapLatest, .merge, .pair, .first, .reduce, .completeWith: true
        case .transform(let transform, _, _, _): transform.isPaced
        default: false
        }
    }

    var isPromise: Bool {
        switch self {
        case .promise, .future: true
        default: false
        }
    }
    var isFuture: Bool {
        switch self {
        case .future, .first, .reduce: true
        default: false
        }
    }
    /// Whether it is a `flatMap` or `flatMapLatest`.
    var isFlatMap: Bool {
        switch self {
        case .flatMap, .flatMapLatest: true
        default: false
        }
    }
    var isToken: Bool { if case .token = self { true } else { false } }
    var isLoop: Bool { if case .loop = self { true } else { false } }
    var isIterator: Bool { if case .iterator = self { true } else { false } }

    /// The streams that emit into the new stream.
    var sources: [Int] {
        switch self {
        case .transform(_, let source, _, _), .first(let source, _), .reduce(let source, _, _): [source]
        case .flatMap(let source, let inner, _, _, _): [source, inner]
        case .flatMapLatest(let source, let inner, _, _): [source] + inner
        case .merge(let sources, _): sources
        case .pair(_, let first, let second, _): [first, second]
        default: []
        }
    }

    var token: Int? {
        switch self {
        case .transform(_, _, _, let token), .flatMap(_, _, _, _, let token), .flatMapLatest(_, _, _, let token),
            .merge(_, let token), .pair(_, _, _, let token), .first(_, let token), .reduce(_, _, let token),
            .listen(_, _, _, let token):
            token
        default: nil
        }
    }

    var place: Place {
        switch self {
        case .transform(let transform, _, _, _) where transform.isPaced: .manual
        case .transform(_, _, let place, _), .flatMap(_, _, _, let place, _), .flatMapLatest(_, _, let place, _),
            .listen(_, _, let place, _), .reduce(_, let place, _):
            place
        default: .immediate
        }
    }

    /// The steps that created the objects it uses.
    var references: [Int] {
        switch self {
        case .promise, .future, .token, .drain, .advance: []
        case .transform, .flatMap, .flatMapLatest, .merge, .pair, .first, .reduce: sources + [token].compactMap { $0 }
        case .emit(let id, _), .finish(let id), .dropPromise(let id), .dropStream(let id), .cancel(let id),
            .loop(_, let id, _, _), .cancelTask(let id), .iterator(_, let id, _), .pull(let id, _),
            .dropIterator(let id):
            [id]
        case .completeWith(let target, let source): [target, source]
        case .listen(let stream, _, _, let token): [stream] + [token].compactMap { $0 }
        case .cancelOn(let stream, let token): [stream, token]
        }
    }
}
