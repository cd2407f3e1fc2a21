import Foundation
import SimpleFutures

/// The races of this folder multiply their rounds by `SIMPLEFUTURES_STRESS`, as those of the core do.
enum Stress {
    static let factor = max(1, ProcessInfo.processInfo.environment["SIMPLEFUTURES_STRESS"].flatMap { Int($0) } ?? 1)

    static func rounds(_ few: Int = 500) -> Int { few * factor }
}

struct Failure: Error, Equatable {}

/// What came of an await.
enum Answer: Equatable, Sendable {
    case value(Int)
    case failure
    case broken
    case cancellation
    case other(String)

    init(_ body: () async throws -> Int) async {
        do {
            self = .value(try await body())
        } catch is CancellationError {
            self = .cancellation
        } catch is Failure {
            self = .failure
        } catch FuturesError.brokenPromise {
            self = .broken
        } catch {
            self = .other("\(error)")
        }
    }
}

/// How a future ends.
enum Ending: String, CaseIterable, Sendable {
    case completed, failed, cancelled, broken

    var answer: Answer {
        switch self {
        case .completed: .value(1)
        case .failed: .failure
        case .cancelled: .cancellation
        case .broken: .broken
        }
    }
}

/// A derived future that can end in every way.
final class Source: Sendable {
    let token = CancelToken()
    private let promise = Lock<Promise<Int>?>(Promise())
    let future: Future<Int>

    init() {
        future = promise.withLock { $0! }.future.map(context: ImmediateContext(), cancelToken: token) { $0 }
    }

    func end(_ ending: Ending) {
        switch ending {
        case .completed: promise.withLock { $0 }?.success(1)
        case .failed: promise.withLock { $0 }?.failure(Failure())
        case .cancelled: token.cancel()
        case .broken: _ = promise.withLock { $0.take() }
        }
    }
}

/// Lets others run until something is the case.
///
/// Those of low priority, too, which would wait for ever beside one that only yields.
func until(_ isSo: () -> Bool) async {
    var turns = 0
    while !isSo() {
        turns += 1
        if turns < 100 { await Task.yield() } else { try? await Task.sleep(for: .milliseconds(1)) }
    }
}

/// A variable that any thread may use.
final class Box<Value>: Sendable {
    private let state: Lock<Value>

    init(_ value: Value) { state = Lock(value) }

    var value: Value {
        get { state.withLock { $0 } }
        set { state.exchange(newValue) }
    }

    /// Changes the value in one step; the closure must not release anything of consequence.
    @discardableResult
    func change<Result>(_ body: (inout Value) -> Result) -> Result { state.withLock(body) }
}
