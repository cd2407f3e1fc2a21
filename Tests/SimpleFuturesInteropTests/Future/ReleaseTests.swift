import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Promise 7: what is released needs little stack", .watchdog)
struct ReleaseTests {
    // A box around another costs 64 bytes of stack when it is released: a stack of 128 KiB has no room for 4,000 of them.
    @Test(arguments: Passage.allCases)
    func `an error is not put into one box more by each function that it passes through`(_ passage: Passage) async {
        await #expect(processExitsWith: .success) { [passage] in
            let box = Box<(any Error)?>(Oops.source)
            for _ in 0..<Stress.size(4_000, full: 100_000) { box.value = await passage.convert(box.value!) }
            onSmallStack {
                precondition(box.value is Oops)
                box.value = nil
            }
        }
    }

    @Test func `a list of streams, each held by the source of the one before, is released with little stack`() async {
        await #expect(processExitsWith: .success) {
            let (count, released) = (Stress.size(4_000, full: 1_000_000), Box(0))
            onSmallStack {
                var next: FutureStream<Int>?
                for _ in 0..<count {
                    let captures = (next, AtDeinit { released.increment() })
                    next = FutureStream(capacity: 0) { _ in withExtendedLifetime(captures) { CancelToken() } }
                }
            }
            precondition(released.value == count, "\(released.value) of \(count) were released")
        }
    }
}

/// A way for an error through generic code of the library.
enum Passage: String, CaseIterable, Codable, Sendable, CustomTestStringConvertible {
    case result = "a Result converted to a Try"
    case task = "a task's future"
    case sequence = "the values of a stream as a stream"
    case typed = "a typed promise whose errors are of any type"
    case handler = "a completion handler that gets a Result"

    var testDescription: String { rawValue }

    func convert(_ error: any Error) async -> any Error {
        switch self {
        case .result: return Try<Int>(Result<Int, any Error>.failure(error)).error!
        case .task: return await Task<Int, any Error> { throw error }.future.outcome.error!
        case .sequence:
            let source = FutureStream<Int>(error: error)
            return await FutureStream(source.values, capacity: 1).first().outcome.error!
        case .typed:
            let promise = TypedPromise<Int, any Error>()
            promise.failure(error)
            return promise.future.future.result!.error!
        case .handler:
            do {
                return try await withCompletionHandler { (done: @Sendable (Result<Oops, any Error>) -> Void) in
                    done(.failure(error))
                }
            } catch { return error }
        }
    }
}
