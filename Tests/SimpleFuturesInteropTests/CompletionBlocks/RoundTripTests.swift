import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

// A result is sent through a random sequence of conversions between callbacks and tasks, each on a random context, and
// must arrive unchanged. A failure prints its seed and the sequence: to repeat it put the seed into `seeds`.
// `CancellableMethodTests` tests methods with a handle, `AwaitTests` all kinds of awaits.

private let seeds: [UInt64] = (0..<UInt64(Stress.rounds(300))).map { $0 &* 0xD1B5_4A32_D192_ED03 &+ 1 }

@Suite("Round trips between callbacks and tasks are the identity", .watchdog)
struct RoundTripTests {
    fileprivate static let results: [(Try<Int>, Answer)] = [
        (.success(7), .success(7)), (.failure(Failure(id: 7)), .failure(Failure(id: 7))),
        (.failure(CancellationError()), .cancelled),
    ]

    @Test(arguments: Crossing.all)
    func `each conversion passes each result on, whether it exists or arrives later`(_ crossing: Crossing) async {
        for (result, answer) in Self.results {
            for isBefore in [true, false] {
                for place in Place.allCases {
                    let promise = Promise<Int>()
                    if isBefore { promise.complete(result) }
                    let far = crossing.cross(promise.future, place.context)
                    if !isBefore { promise.complete(result) }
                    #expect(
                        await Answer { try await far.value } == answer, "\(place), \(isBefore ? "before" : "after")")
                }
            }
        }
    }

    @Test(arguments: Start.allCases)
    func `a sequence of conversions passes a result on to an await and to a completion handler`(_ start: Start) async {
        for seed in seeds {
            var random = Random(seed: seed)
            let way = Journey.random(&random)
            let isBefore = Bool.random(using: &random)
            let (near, end, answer) = start.make(&random)
            if isBefore { end() }
            let (far, handed) = (way.go(from: near), Future<Int>())
            let handler = { @Sendable (value: Int?, error: (any Error)?) in
                #expect(value == nil || error == nil)
                handed.complete(value.map { .success($0) } ?? .failure(error!))
            }
            callback(handler, context: immediate) { try await far.value }
            if !isBefore { end() }
            let arrived = [await Answer { try await far.value }, await Answer { try await handed.value }]
            if arrived != [answer, answer] { Issue.record("\(answer) came out as \(arrived): seed \(seed), \(way)") }
        }
    }

    @Test(arguments: [Result<Int, Failure>.success(7), .failure(Failure(id: 7))])
    func `a typed error keeps its type`(_ result: Result<Int, Failure>) async {
        let far: Future<Int> = future { (done: @escaping @Sendable (Result<Int, Failure>) -> Void) in
            callback(done) { () async throws(Failure) in try result.get() }
        }
        #expect(await far.end() == Outcome(Try(result)))
    }
}

/// Where a result comes from.
enum Start: CaseIterable, Sendable {
    case task, completionHandler, canceledToken, releasedPromise

    /// Returns a future, a closure that ends it, and its result.
    func make(_ random: inout Random) -> (near: Future<Int>, end: () -> Void, answer: Answer) {
        let (result, answer) = RoundTripTests.results.randomElement(using: &random)!
        switch self {
        case .task: return (Future { try result.get() }, {}, answer)
        case .completionHandler:
            let handler = Promise<@Sendable (Int?, (any Error)?) -> Void>()
            let made: Future<Int> = future { handler.success($0) }
            return (made, { handler.future.result?.value?(result.value, result.error) }, answer)
        case .canceledToken, .releasedPromise:
            let (source, ending) = (Source(), self == .canceledToken ? Source.Ending.cancellation : .breach)
            return (source.future, { source.end(ending) }, ending.answer)
        }
    }
}

/// The context of a conversion's callbacks.
private enum Place: CaseIterable {
    case immediate, global, serial, main, actor, stack

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
        case .stack: MaxStackDepthContext()
        }
    }
}

private struct Journey: CustomStringConvertible {
    private let steps: [(crossing: Crossing, place: Place)]

    static func random(_ random: inout Random) -> Journey {
        let count = Int.random(in: 1...12, using: &random)
        return Journey(
            steps: (0..<count).map { _ in
                (Crossing.all.randomElement(using: &random)!, Place.allCases.randomElement(using: &random)!)
            })
    }

    func go(from start: Future<Int>) -> Future<Int> { steps.reduce(start) { $1.crossing.cross($0, $1.place.context) } }

    var description: String {
        steps.map { "\($0.crossing.testDescription) on \($0.place)" }.joined(separator: ", ")
    }
}

/// A conversion from one future to another with the same result, through a completion handler or a task.
struct Crossing: Sendable, CustomTestStringConvertible {
    typealias Cross = @Sendable (_ near: Future<Int>, _ context: any ExecutionContext) -> Future<Int>

    let testDescription: String
    let cross: Cross

    init(_ name: String, _ cross: @escaping Cross) { (testDescription, self.cross) = (name, cross) }

    static let all = handlers + tasks + steps

    // The type of the error is tested apart.
    private static let handlers: [Crossing] =
        Shape.allCases.filter { $0 != .typedResult }.map { shape in
            Crossing("a handler, \(shape)") { near, context in
                let far = Promise<Int>()
                _ = shape.call(on: context) {
                    try await near.value
                } _: {
                    far.complete($0)
                }
                return far.future
            }
        } + [
            Crossing("a method and a handler") { near, context in
                future { callback($0, context: context) { try await near.value } }
            },
            Crossing("two handlers") { near, context in
                future { success, failure in near.on(context: context, success: success, failure: failure) }
                    .recoverCancelled(like: near, on: context)
            },
        ]

    private static let tasks: [Crossing] = [
        Crossing("a task") { near, _ in Future { try await near.value } },
        Crossing("task.future") { near, _ in Task { try await near.value }.future },
        Crossing("completeWith") { near, _ in
            let promise = Promise<Int>()
            promise.completeWith(cancelToken: CancelToken()) { try await near.value }
            return promise.future
        },
        Crossing("a task with a token") { near, _ in Future(cancelToken: CancelToken()) { try await near.value } },
        Crossing("token.run") { near, _ in Future { try await CancelToken().run { try await near.value } } },
        Crossing("withCancelToken") { near, _ in Future { try await withCancelToken { _ in try await near.value } } },
    ]

    private static let steps: [Crossing] = [
        Crossing("asyncMap") { near, _ in near.asyncMap(cancelToken: CancelToken()) { $0 } },
        Crossing("asyncFlatMap") { near, context in
            near.asyncFlatMap(cancelToken: CancelToken()) { _ in near.map(context: context) { $0 } }
        },
        Crossing("asyncRecover") { near, _ in near.asyncRecover(cancelToken: CancelToken()) { throw $0 } },
        Crossing("asyncForEach") { near, context in
            near.asyncForEach(cancelToken: CancelToken()) { _ in }.flatMap(context: context) { near }
        },
    ]
}

extension Future<Int> {
    /// A method with two handlers cannot report a cancellation: its handlers are dropped, and the future is broken.
    fileprivate func recoverCancelled(like near: Future<Int>, on context: any ExecutionContext) -> Future<Int> {
        mapError(context: context) { near.isCancelled ? CancellationError() : $0 }
    }
}
