import Foundation
import SimpleFutures
@testable import TestSupport

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
