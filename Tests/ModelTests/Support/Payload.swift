import SimpleFutures

/// Counts the live objects.
final class Census: Sendable {
    private let living = Lock(0)

    init() {}

    var count: Int { living.withLock { $0 } }

    func add(_ change: Int) { living.withLock { $0 += change } }
}

/// The values in futures and streams, and the captures of closures: a number in an object that is counted while it
/// lives.
final class Payload: Sendable {
    let number: Int
    private let census: Census

    init(_ number: Int, _ census: Census) {
        self.number = number
        self.census = census
        census.add(1)
    }

    deinit { census.add(-1) }

    /// Creates another one, with a number that shows that it derives from this one.
    func adding(_ step: Int) -> Payload { Payload(number &+ step, census) }

    /// Keeps the optimizer from releasing the object before this call.
    func use() {}

    // The results of closures that capture this object.

    func passing<Value>(_ value: Value) -> Value { value }
    func making(_ number: Int) -> Payload { Payload(number, census) }
    func making(_ end: End) throws -> Payload { try end.payload(census) }
}

/// The results and elements of a run, and the captures of its closures, without keeping them.
final class Traces: Sendable {
    private struct WeakPayload: Sendable {
        weak var payload: Payload?
    }

    let census = Census()
    private let offers = Lock<[WeakPayload]>([])
    private let closures = Lock<[Int: WeakPayload]>([:])

    init() {}

    /// The numbers of the results and elements that are still there.
    var living: Set<Int> { offers.withLock { offers in Set(offers.compactMap { $0.payload?.number }) } }

    /// The steps whose closures still exist.
    var held: Set<Int> { closures.withLock { closures in Set(closures.filter { $0.value.payload != nil }.keys) } }

    /// Creates a value whose release is observed.
    func payload(_ number: Int) -> Payload {
        let payload = Payload(number, census)
        offers.withLock { $0.append(WeakPayload(payload: payload)) }
        return payload
    }

    func result(_ number: Int, _ isSuccess: Bool) -> Try<Payload> {
        let payload = payload(number)
        return isSuccess ? .success(payload) : .failure(Fault(payload: payload))
    }

    /// Creates an object for a closure to capture, which shows whether the closure still exists.
    func capture(_ id: Int) -> Payload {
        let payload = Payload(id, census)
        closures.withLock { $0[id] = WeakPayload(payload: payload) }
        return payload
    }
}

/// The error of programs.
struct Fault: Error {
    let payload: Payload
}

/// How a future has ended, or the element of a stream, without the objects.
enum End: Hashable, Sendable {
    case success(Int)
    case failure(Int)
    case broken
    case noSuchElement
    case timedOut
    /// Failed with a `CancellationError`.
    case cancellationError
    case otherError
    /// A buffer has lost a number of elements.
    case overflow(Int)
    case cancelled
    /// Only for streams: the stream has finished.
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

    /// The result, as a closure returns or throws it.
    func payload(_ census: Census) throws -> Payload {
        let payload = Payload(number, census)
        if isSuccess { return payload }
        throw Fault(payload: payload)
    }

    /// The number that it has when a closure maps it to a value.
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
