/// A program over futures: a beginning on one thread, followed by the steps of several threads.
struct FutureProgram: Program {
    var beginning: [Step] = []
    var threads: [[Step]] = []

    enum Transform: CaseIterable, Sendable {
        case map, mapThrowing, filterOut, compactMapEven, andThen, ensure, recover, recoverThrowing, mapError, asyncMap
        /// `materialize` and `asVoid`, whose results a closure maps.
        case materialize, asVoid

        /// Whether its registration can be canceled with a token.
        var takesToken: Bool { self != .ensure && self != .materialize && self != .asVoid }

        /// Whether its closure runs for an end.
        func runs(for end: End) -> Bool {
            switch self {
            case .recover, .recoverThrowing, .mapError: end.isFailure
            case .materialize: end != .cancelled
            case .ensure: true
            default: end.isSuccess
            }
        }
    }

    enum Gathering: CaseIterable, Sendable {
        case zip, sequence, traverse, firstCompleted, firstSucceeded, settled, fold, find

        /// Whether it takes a closure that runs on a context.
        var takesClosure: Bool { self == .fold || self == .find }
    }

    enum Kind: CaseIterable, Sendable {
        case complete, success, failure, cancel

        func wants(_ end: End) -> Bool {
            switch self {
            case .complete: end != .cancelled
            case .success: end.isSuccess
            case .failure: end.isFailure
            case .cancel: end == .cancelled
            }
        }
    }

    enum Operation: ProgramOperation {
        case promise
        case bare
        case value
        case transform(Transform, of: Int, on: Place, under: Int?)
        /// `flatMap`, or `recoverWith` for a recovery.
        case flatMap(of: Int, to: Int, isRecovery: Bool, on: Place, under: Int?)
        case gather(Gathering, of: [Int], on: Place)
        /// One attempt for each of these futures.
        case retry([Int], hasDelay: Bool, on: Place, under: Int?)
        case timeout(of: Int, under: Int?)
        case delay(of: Int, under: Int?)
        /// `Future { try await … }`
        case asyncFuture(of: Int, under: Int?)

        case complete(Int, isSuccess: Bool)
        case tryComplete(Int, isSuccess: Bool)
        case completeWith(Int, from: Int)
        case dropPromise(Int)
        case dropFuture(Int)

        /// A callback, which may also complete a promise.
        case listen(to: Int, Kind, on: Place, under: Int?, completing: Int?)

        case token
        case child(of: Int)
        case handler(on: Int)
        case cancel(Int)
        case cancelOn(Int, token: Int)

        /// A task that awaits a future, and cancels a token when the task is canceled.
        case await(Int, cancelling: Int?, abandons: Bool)
        case cancelTask(Int)

        case drain(Place)
        case advance
    }

}

extension FutureProgram.Operation {
    var makesFuture: Bool {
        switch self {
        case .promise, .bare, .value, .transform, .flatMap, .gather, .retry, .timeout, .delay, .asyncFuture: true
        default: false
        }
    }

    var makesToken: Bool {
        switch self {
        case .token, .child: true
        default: false
        }
    }

    var mayBreakRules: Bool {
        switch self {
        case .flatMap, .gather, .retry, .timeout, .delay, .asyncFuture, .await, .completeWith, .dropFuture: true
        case .transform(let transform, _, _, _): transform == .asyncMap
        case .listen(_, _, _, _, let target): target != nil
        default: false
        }
    }

    var isPromise: Bool { if case .promise = self { true } else { false } }
    var isBare: Bool { if case .bare = self { true } else { false } }
    var isAwait: Bool { if case .await = self { true } else { false } }

    /// The futures that complete the new future.
    var sources: [Int] {
        switch self {
        case .transform(_, let source, _, _), .timeout(let source, _), .delay(let source, _),
            .asyncFuture(let source, _):
            [source]
        case .flatMap(let source, let inner, _, _, _): [source, inner]
        case .gather(_, let sources, _), .retry(let sources, _, _, _): sources
        default: []
        }
    }

    /// The token of its registration.
    var token: Int? {
        switch self {
        case .transform(_, _, _, let token), .flatMap(_, _, _, _, let token), .timeout(_, let token),
            .delay(_, let token), .asyncFuture(_, let token), .listen(_, _, _, let token, _),
            .retry(_, _, _, let token):
            token
        default: nil
        }
    }

    /// The context that it runs on.
    var place: Place {
        switch self {
        case .transform(_, _, let place, _), .flatMap(_, _, _, let place, _), .listen(_, _, let place, _, _),
            .gather(_, _, let place), .retry(_, _, let place, _):
            place
        case .timeout, .delay: .manual
        default: .immediate
        }
    }
}
