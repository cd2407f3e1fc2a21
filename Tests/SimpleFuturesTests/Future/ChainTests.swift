import SimpleFutures
import Testing
@testable import TestSupport

private enum AppError: Error {
    case invalidValue
}

private func asyncRequest(_ completion: @escaping (Int, (any Error)?) -> Void) { completion(-4, nil) }
private func asyncMapping(_ value: Int) -> Future<String> { Future(value: "\(value)") }
private func recovery(_ error: any Error) -> Int { 5 }
private func recoveryWith(_ error: any Error) -> Future<Int> { Future(value: 5) }
private func mapping(_ error: any Error) -> AppError { .invalidValue }
private func count(of text: String) -> Future<Int> { Future(value: text.count) }

/// Typical user code.
///
/// Half of the test is that it compiles, and quickly.
@Suite("Chains", .watchdog)
struct ChainTests {
    @Test func `twenty links of single expressions need no annotation`() {
        let time = ManualContext()
        let result = Future(value: 1)
            .map(context: immediate) { $0 + 1 }
            .withFilter(context: immediate) { $0 > 0 }
            .map(context: immediate) { "\($0)" }
            .andThen(context: immediate) { _ in }
            .flatMap(context: immediate) { count(of: $0) }
            .recover(context: immediate) { _ in 0 }
            .filter(context: immediate) { $0 < 9 }
            .recoverWith(context: immediate) { Future(error: $0) }
            .mapError(context: immediate) { _ in Oops.other }
            .flatMap(context: immediate) { Future(value: $0) }
            .map(context: immediate) { [$0, $0 * 2] }
            .map(context: immediate) { $0.count }
            .timeout(.seconds(1), context: time)
            .flatMap(context: immediate) { (0..<$0).traverse { Future(value: $0) } }
            .map(context: immediate) { $0.reduce(0, +) }
            .zip(Future(value: 2))
            .map(context: immediate) { $0 + $1 }
            .delay(.seconds(1), context: time)
            .map(context: immediate) { $0.isMultiple(of: 2) }
            .flatMap(context: immediate) { $0 ? Future(value: 1) : Future(error: Oops.other) }
        #expect(result.ended == .pending)
        time.advance(by: .seconds(1))
        #expect(result.ended == .failure(Oops.other))
        #expect(time.pendingCount == 0)
    }

    @Test func `the examples of map, flatMap, withFilter, recover, recoverWith and mapError`() {
        let mapped = future(method: asyncRequest).map(context: immediate) { value -> String in
            guard value < 0 else { throw AppError.invalidValue }
            return "\(value)"
        }
        #expect(mapped.ended == .success("-4"))
        let flatMapped = future(method: asyncRequest).flatMap(context: immediate) { value -> Future<String> in
            guard value < 0 else { throw AppError.invalidValue }
            return asyncMapping(value)
        }
        #expect(flatMapped.ended == .success("-4"))
        let filtered = future(method: asyncRequest).withFilter(context: immediate) { value in value > 0 }
        #expect(filtered.ended == .failure(FuturesError.noSuchElement))
        let failed = future(method: asyncRequest).map(context: immediate) { _ -> Int in throw AppError.invalidValue }
        let recovered = failed.recover(context: immediate) { error in
            guard let appError = error as? AppError else { throw error }
            return recovery(appError)
        }
        #expect(recovered.ended == .success(5))
        let recoveredWith = failed.recoverWith(context: immediate) { error -> Future<Int> in
            guard let appError = error as? AppError else { throw error }
            return recoveryWith(appError)
        }
        #expect(recoveredWith.ended == .success(5))
        let mapErrorFuture = failed.mapError(context: immediate) { error in
            guard let appError = error as? AppError else { return mapping(error) }
            return appError
        }
        #expect(mapErrorFuture.ended == .failure(AppError.invalidValue))
    }

    @Test func `closures with several statements, functions and key paths can be passed`() {
        let text = Future(value: 3).map(context: immediate) { number in
            let doubled = number * 2
            return "\(doubled)"
        }
        #expect(text.ended == .success("6"))
        #expect(Future(value: 3).flatMap(context: immediate, mapping: asyncMapping).ended == .success("3"))
        #expect(Future(value: "one").map(context: immediate, mapping: \.count).ended == .success(3))
        #expect(Future(value: 3).map(context: immediate, mapping: String.init).ended == .success("3"))
        let nested = Future(value: 1).flatMap(context: immediate) { outer in
            Future(value: outer + 1).map(context: immediate) { inner in outer + inner }
        }
        #expect(nested.ended == .success(3))
    }
}
