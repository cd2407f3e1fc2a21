import SimpleFutures

/// Counts the objects that are alive.
final class Census: Sendable {
    private let living = Lock(0)

    init() {}

    var count: Int { living.withLock { $0 } }

    func add(_ change: Int) { living.withLock { $0 += change } }
}

/// What futures and streams carry, and what closures capture: a number in an object that is counted while it lives.
final class Payload: Sendable {
    let number: Int
    private let census: Census

    init(_ number: Int, _ census: Census) {
        self.number = number
        self.census = census
        census.add(1)
    }

    deinit { census.add(-1) }

    /// Another one, with a number that tells that it was made of this one.
    func adding(_ step: Int) -> Payload { Payload(number &+ step, census) }

    /// Keeps the object out of the optimiser's reach up to here.
    func use() {}
}

/// The error that programs fail with.
struct Fault: Error {
    let payload: Payload
}

/// How a future has ended, or what a stream has emitted, without the objects.
enum End: Hashable, Sendable {
    case success(Int)
    case failure(Int)
    case broken
    case noSuchElement
    case timedOut
    /// Failed with a `CancellationError`.
    case cancellationError
    case otherError
    /// A buffer has lost so many elements.
    case overflow(Int)
    case cancelled
    /// Only of streams: there are no more elements.
    case finished

    init(_ result: Try<Payload>) {
        switch result {
        case .success(let payload): self = .success(payload.number)
        case .failure(let error): self.init(error)
        }
    }

    init(_ error: any Error) {
        switch error {
        case let fault as Fault: self = .failure(fault.payload.number)
        case FuturesError.brokenPromise: self = .broken
        case FuturesError.noSuchElement, is NoneSucceeded: self = .noSuchElement
        case FuturesError.timedOut: self = .timedOut
        case FuturesError.bufferOverflow(let dropped): self = .overflow(dropped)
        case is CancellationError: self = .cancellationError
        default: self = .otherError
        }
    }

    var isSuccess: Bool { if case .success = self { true } else { false } }
    var isFailure: Bool { !isSuccess && self != .cancelled && self != .finished }

    /// As a closure returns or throws it.
    func payload(_ census: Census) throws -> Payload {
        let payload = Payload(number, census)
        if isSuccess { return payload }
        throw Fault(payload: payload)
    }

    /// What it counts as when a closure makes a value of it.
    var number: Int {
        switch self {
        case .success(let number), .failure(let number): number
        case .broken: 10_000
        case .noSuchElement: 20_000
        case .timedOut: 30_000
        case .cancellationError: 40_000
        case .otherError: 50_000
        case .cancelled, .finished: 60_000
        case .overflow: 70_000
        }
    }
}
