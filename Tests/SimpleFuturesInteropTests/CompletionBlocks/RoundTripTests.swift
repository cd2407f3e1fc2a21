import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

// A result is sent through a random sequence of conversions between callbacks and tasks, each on a random context, and
// must arrive unchanged. A failure prints its seed and the sequence: to repeat it put the seed into `seeds`.

private let seeds: [UInt64] = (0..<UInt64(Stress.rounds(300))).map { $0 &* 0xD1B5_4A32_D192_ED03 &+ 1 }

@Suite("Round trips between callbacks and tasks are the identity", .watchdog)
struct RoundTripTests {
    @Test(arguments: Crossing.allCases)
    func `each conversion passes each result on, whether it exists before or arrives later`(_ crossing: Crossing) async
    {
        for end in Cargo.kinds {
            for isBefore in [true, false] {
                for place in Place.allCases {
                    let origin = Origin(end)
                    if isBefore { origin.end() }
                    let far = crossing.cross(origin.future, place)
                    if !isBefore { origin.end() }
                    let arrived = await Cargo(of: far)
                    #expect(arrived == end, "\(crossing), \(place), \(isBefore ? "before" : "after")")
                }
            }
        }
    }

    @Test func `async, callback, async: the result of a task reaches another task unchanged`() async {
        for seed in seeds {
            var random = Seeded(seed: seed)
            let (end, way) = (Cargo.random(&random), Journey.random(&random))
            let far = way.go(from: Future { try end.get() })
            let arrived = await Cargo(of: far)
            if arrived != end { Issue.record("\(end) came out as \(arrived): seed \(seed), \(way)") }
        }
    }

    @Test func `callback, async, callback: the second handler gets the result of the first`() async {
        for seed in seeds {
            var random = Seeded(seed: seed)
            let (end, way) = (Cargo.random(&random), Journey.random(&random))
            let near = Promise<@Sendable (Int?, (any Error)?) -> Void>()
            let start: Future<Int> = future { near.success($0) }
            let isBefore = Bool.random(using: &random)
            if isBefore { near.future.onSuccess(context: ImmediateContext()) { $0(end.value, end.error) } }
            let far = way.go(from: start)
            let arrived = Future<Cargo>()
            callback(
                { (value: Int?, error: (any Error)?) in arrived.success(Cargo(value, error)) },
                context: ImmediateContext()
            ) { try await far.value }
            if !isBefore { near.future.onSuccess(context: ImmediateContext()) { $0(end.value, end.error) } }
            guard let cargo = await arrived.outcome.value, cargo != end else { continue }
            Issue.record("\(end) came out as \(cargo): seed \(seed), \(way)")
        }
    }

    @Test func `a future canceled by a token throws CancellationError`() async {
        for seed in seeds {
            var random = Seeded(seed: seed)
            let way = Journey.random(&random)
            let source = Source()
            let isBefore = Bool.random(using: &random)
            if isBefore { source.end(.cancelled) }
            let far = way.go(from: source.future)
            if !isBefore { source.end(.cancelled) }
            let arrived = await Cargo(of: far)
            if arrived != .cancellation { Issue.record("it came out as \(arrived): seed \(seed), \(way)") }
        }
    }

    @Test func `a future without a producer throws brokenPromise`() async {
        for seed in seeds {
            var random = Seeded(seed: seed)
            let way = Journey.random(&random)
            let far: Future<Int>
            do {
                let promise = Promise<Int>()
                far = way.go(from: promise.future)
            }
            guard case .failure(FuturesError.brokenPromise) = await far.outcome else {
                Issue.record("seed \(seed), \(way)")
                continue
            }
        }
    }

    @Test func `a typed error keeps its type`() async {
        let trouble = Trouble()
        let far: Future<Int> = future { (done: @escaping @Sendable (Result<Int, Trouble>) -> Void) in
            callback(done) { () async throws(Trouble) in throw trouble }
        }
        #expect(await Cargo(of: far) == .trouble(trouble))
    }
}

/// An error that differs from others of its type.
private final class Trouble: Error, Sendable {}

/// The result that is sent.
private enum Cargo: Equatable, Sendable, CustomStringConvertible {
    case value(Int)
    case trouble(Trouble)
    case cancellation
    case other(String)

    static var kinds: [Cargo] { [.value(7), .trouble(Trouble()), .cancellation] }

    static func random(_ random: inout Seeded) -> Cargo { kinds.randomElement(using: &random)! }

    init(_ value: Int?, _ error: (any Error)?) {
        switch (value, error) {
        case (let value?, nil): self = .value(value)
        case (nil, let trouble as Trouble): self = .trouble(trouble)
        case (nil, is CancellationError): self = .cancellation
        default: self = .other("\(value as Any), \(error as Any)")
        }
    }

    init(of future: Future<Int>) async {
        let outcome = await future.outcome
        self.init(outcome.value, outcome.error)
    }

    var value: Int? { if case .value(let value) = self { value } else { nil } }

    var error: (any Error)? {
        switch self {
        case .value, .other: nil
        case .trouble(let trouble): trouble
        case .cancellation: CancellationError()
        }
    }

    func get() throws -> Int {
        if let error { throw error }
        return value!
    }

    static func == (left: Cargo, right: Cargo) -> Bool {
        switch (left, right) {
        case (.value(let left), .value(let right)): left == right
        case (.trouble(let left), .trouble(let right)): left === right
        case (.cancellation, .cancellation): true
        default: false
        }
    }

    var description: String {
        switch self {
        case .value(let value): "\(value)"
        case .trouble(let trouble): "trouble \(ObjectIdentifier(trouble))"
        case .cancellation: "CancellationError"
        case .other(let other): other
        }
    }
}

/// A future that a test completes with some cargo.
private struct Origin {
    private let promise = Promise<Int>()
    private let cargo: Cargo

    init(_ cargo: Cargo) { self.cargo = cargo }

    var future: Future<Int> { promise.future }

    func end() { promise.complete(cargo.error.map { .failure($0) } ?? .success(cargo.value!)) }
}

/// The context of a conversion's callbacks.
private enum Place: CaseIterable {
    case immediate, global, serial, main, actor, mainActor, stack

    private static let queue = DispatchQueue(label: "round trips")
    private static let host = Host()

    private actor Host {}

    var context: any ExecutionContext {
        switch self {
        case .immediate: ImmediateContext()
        case .global: QueueContext.global
        case .serial: Self.queue
        case .main: QueueContext.main
        case .actor: ActorContext(Self.host)
        case .mainActor: QueueContext.main
        case .stack: MaxStackDepthContext()
        }
    }
}

/// A random sequence of conversions.
private struct Journey: CustomStringConvertible {
    private let steps: [(crossing: Crossing, place: Place)]

    static func random(_ random: inout Seeded) -> Journey {
        let count = Int.random(in: 1...12, using: &random)
        return Journey(
            steps: (0..<count).map { _ in
                (Crossing.allCases.randomElement(using: &random)!, Place.allCases.randomElement(using: &random)!)
            })
    }

    func go(from start: Future<Int>) -> Future<Int> { steps.reduce(start) { $1.crossing.cross($0, $1.place) } }

    var description: String { steps.map { "\($0.crossing) on \($0.place)" }.joined(separator: ", ") }
}

/// A conversion from one future to another with the same result, through a completion handler or a task.
enum Crossing: CaseIterable, Sendable {
    // Completion handlers, by shape.
    case optionalAndError, result, errorAlone, value, nothing, pair, twoBlocks, isolatedBlock
    // The same for calls that can be canceled.
    case abandonable, abandonableResult, abandonableError, abandonableValue, abandonablePair, abandonableTwoBlocks
    // Tasks.
    case task, taskFuture, promise, under, run, follow, waitAndCancel
    // Closures that await.
    case map, flatMap, recover, forEach
    // Sequences of futures.
    case completions, values

    fileprivate func cross(_ near: Future<Int>, _ place: Place) -> Future<Int> {
        let context = place.context
        switch self {
        case .optionalAndError: return future { callback($0, context: context) { try await near.value } }
        case .result:
            return future { (done: @escaping @Sendable (Result<Int, any Error>) -> Void) in
                callback(done, context: context) { try await near.value }
            }
        case .errorAlone:
            let box = Locker<Int>()
            let end: Future<Void> = future { (done: @escaping @Sendable ((any Error)?) -> Void) in
                callback(done, context: context) {
                    let value = try await near.value
                    box.put(value)
                }
            }
            return end.map(context: context) { box.take() }
        case .value: return Self.flat(future { callback($0, context: context) { await near.outcome } })
        case .nothing:
            let box = Locker<Try<Int>>()
            let end = Promise<Void>()
            callback({ () in end.success() }, context: context) {
                let outcome = await near.outcome
                box.put(outcome)
            }
            return Self.flat(end.future.map(context: context) { box.take() })
        case .pair:
            let both: Future<(Int, String)> = future {
                callback($0, context: context) { (try await near.value, "") }
            }
            return both.map(context: context) { $0.0 }
        case .twoBlocks:
            return future { success, failure in near.on(context: context, success: success, failure: failure) }
                .recoverCancelled(like: near, on: context)
        case .isolatedBlock:
            let far = Promise<Int>()
            callback({ @MainActor (value: Int?, error: (any Error)?) in
                MainActor.assertIsolated()
                far.complete(value.map { .success($0) } ?? .failure(error!))
            }) { try await near.value }
            return far.future
        default: return crossUnderToken(near, context)
        }
    }

    private func crossUnderToken(_ near: Future<Int>, _ context: any ExecutionContext) -> Future<Int> {
        let token = CancelToken()
        switch self {
        case .abandonable:
            return future(cancelToken: token) { callback($0, context: context) { try await near.value } }
        case .abandonableResult:
            return future(cancelToken: token) { (done: @escaping @Sendable (Result<Int, any Error>) -> Void) in
                callback(done, context: context) { try await near.value }
            }
        case .abandonableError:
            let end: Future<Void> = future(cancelToken: token) {
                (done: @escaping @Sendable ((any Error)?) -> Void) in
                callback(done, context: context) { _ = try await near.value }
            }
            return end.flatMap(context: context) { near }
        case .abandonableValue:
            return Self.flat(
                future(cancelToken: token) { (done: @escaping @Sendable (Try<Int>) -> Void) in
                    callback(done, context: context) { await near.outcome }
                })
        case .abandonablePair:
            let both: Future<(Int, Int)> = future(cancelToken: token) {
                callback($0, context: context) { (try await near.value, 1) }
            }
            return both.map(context: context) { $0.0 }
        case .abandonableTwoBlocks:
            return future(cancelToken: token) { success, failure in
                near.on(context: context, success: success, failure: failure)
                return token
            }.recoverCancelled(like: near, on: context)
        default: return crossByTask(near, context, token)
        }
    }

    private func crossByTask(
        _ near: Future<Int>, _ context: any ExecutionContext, _ token: CancelToken
    ) -> Future<Int> {
        switch self {
        case .taskFuture: return Task { try await near.value }.future
        case .promise:
            let promise = Promise<Int>()
            promise.completeWith(cancelToken: token) { try await near.value }
            return promise.future
        case .under: return Future(cancelToken: token) { try await near.value }
        case .run: return Future { try await token.run { try await near.value } }
        case .follow: return Future { try await withCancelToken { _ in try await near.value } }
        case .waitAndCancel: return Future { try await near.value(cancelling: token) }
        case .map: return near.asyncMap(cancelToken: token) { $0 }
        case .flatMap: return near.asyncFlatMap(cancelToken: token) { _ in near.map(context: context) { $0 } }
        case .recover: return near.asyncRecover(cancelToken: token) { throw $0 }
        case .forEach: return near.asyncForEach(cancelToken: token) { _ in }.flatMap(context: context) { near }
        case .completions:
            return Self.flat(
                Future {
                    var iterator = [near].completions.makeAsyncIterator()
                    return await iterator.next()!.result
                })
        case .values:
            return Future {
                var iterator = [near].valuesInOrder.makeAsyncIterator()
                return try await iterator.next()!
            }
        default: return Future { try await near.value }
        }
    }

    private static func flat(_ future: Future<Try<Int>>) -> Future<Int> {
        future.map(context: ImmediateContext()) { try $0.get() }
    }
}

extension Future<Int> {
    /// A method with two handlers cannot report a cancellation: its handlers are dropped, and the future is broken.
    fileprivate func recoverCancelled(like near: Future<Int>, on context: any ExecutionContext) -> Future<Int> {
        mapError(context: context) { near.isCancelled ? CancellationError() : $0 }
    }
}

/// Stores a value that a completion handler has no parameter for.
private final class Locker<Value: Sendable>: Sendable {
    private let value = Lock<Value?>(nil)

    func put(_ new: Value) { value.exchange(new) }

    func take() -> Value { value.exchange(nil)! }
}
