import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Try", .watchdog)
struct TryTests {
    private let success = Try.success(3)
    private let failure = Try<Int>.failure(Oops.source)

    @Test func `an error is the value if the type of the values is its type, and otherwise a failure`() {
        let code: Try<FuturesError> = Try(.invalidValue)
        #expect(code.value == .invalidValue)
        #expect(Try<FuturesError>(FuturesError.invalidValue).isSuccess())
        #expect(Try(1).flatMap { _ in Try<FuturesError>(FuturesError.invalidValue) }.isSuccess())
        #expect(Try<Int>(FuturesError.invalidValue).error as? FuturesError == .invalidValue)
        let error: any Error = FuturesError.invalidValue
        #expect(Try<Int>(error).isFailure())
        #expect(Try<FuturesError>(error).isFailure())
        #expect(Try<any Error>(error).isFailure())
    }

    @Test func `it has either a value or an error, and get returns the value or throws the error`() throws {
        #expect(success.value == 3)
        #expect(success.error == nil)
        #expect(success.isSuccess() && !success.isFailure())
        #expect(try success.get() == 3)
        #expect(failure.value == nil)
        #expect(failure.error as? Oops == .source)
        #expect(failure.isFailure() && !failure.isSuccess())
        #expect(throws: Oops.source) { try failure.get() }
    }

    @Test func `it can be made of a value, an error, or a closure that is called once, immediately`() {
        #expect(Try(3).value == 3)
        #expect(Try<Int>(Oops.source).error as? Oops == .source)
        #expect(Try<Int> { throw Oops.thrown }.error as? Oops == .thrown)
        var calls = 0
        let result = Try<Int> {
            calls += 1
            return calls
        }
        #expect(calls == 1)
        #expect(result.value == 1)
        #expect(calls == 1)
    }

    @Test func `it can be converted from and to Result`() throws {
        #expect(Try<Int>(Result<Int, Oops>.success(3)).value == 3)
        #expect(Try<Int>(Result<Int, Oops>.failure(.source)).error as? Oops == .source)
        #expect(try success.result.get() == 3)
        #expect(throws: Oops.source) { try failure.result.get() }
    }

    @Test func `a Result or a closure without annotation is converted, not wrapped as a value`() {
        let result: Result<Int, any Error> = .failure(Oops.source)
        #expect(Try(result).error is Oops)
        #expect(Try { 1 + 1 }.value == 2)
        let closure: Try<@Sendable () -> Int> = Try({ 4 })
        #expect(closure.value?() == 4)
    }

    @Test func `a value that is nil is a value`() {
        for result in [Try<Int?>.success(nil), Try<Int?>(Int?.none)] {
            #expect(result.isSuccess())
            #expect(result.value == .some(nil))
            #expect(result.getOrElse(3) == nil)
            #expect(result.orElse(.success(3)).value == .some(nil))
            #expect(result.recover { _ in 3 }.value == .some(nil))
            #expect(result.map { $0 == nil }.value == true)
            #expect([result, .success(1)].sequence().value == [nil, 1])
            var seen = 0
            result.forEach { _ in seen += 1 }
            #expect(seen == 1)
        }
    }

    @Test func `it can contain a value that is not Sendable, and is Sendable if its value is`() async {
        final class Plain {}
        let object = Plain()
        #expect(Try(object).value === object)
        let result = success
        #expect(await onThread { result.value } == 3)
    }

    // MARK: Combinators

    @Test func `map and flatMap transform the value, and pass a failure on`() {
        #expect(success.map { "\($0)" }.value == "3")
        #expect(success.map { _ -> Int in throw Oops.thrown }.error as? Oops == .thrown)
        #expect(success.flatMap { .success("\($0)") }.value == "3")
        #expect(success.flatMap { _ in Try<String>.failure(Oops.other) }.error as? Oops == .other)
        #expect(success.flatMap { _ -> Try<Int> in throw Oops.thrown }.error as? Oops == .thrown)
        // A call would be the other error.
        #expect(failure.map { _ -> Int in throw Oops.thrown }.error as? Oops == .source)
        #expect(failure.flatMap { _ -> Try<Int> in throw Oops.thrown }.error as? Oops == .source)
    }

    @Test func `mapError, recover and recoverWith transform the error, and pass a success on`() {
        #expect(failure.mapError { _ in Oops.other }.error as? Oops == .other)
        #expect(failure.recover { $0 as? Oops == .source ? 4 : 5 }.value == 4)
        #expect(failure.recover { _ in throw Oops.thrown }.error as? Oops == .thrown)
        #expect(failure.recoverWith { _ in .success(4) }.value == 4)
        #expect(failure.recoverWith { _ in .failure(Oops.other) }.error as? Oops == .other)
        #expect(failure.recoverWith { _ in throw Oops.thrown }.error as? Oops == .thrown)
        #expect(success.mapError { _ in Oops.other }.value == 3)
        #expect(success.recover { _ in 4 }.value == 3)
        #expect(success.recoverWith { _ in .success(4) }.value == 3)
    }

    @Test func `filter fails with noSuchElement`() {
        #expect(success.filter { $0 > 2 }.value == 3)
        #expect(success.filter { $0 > 3 }.error as? FuturesError == .noSuchElement)
        #expect(success.filter { _ in throw Oops.thrown }.error as? Oops == .thrown)
        #expect(failure.filter { _ in true }.error as? Oops == .source)
    }

    @Test func `forEach calls the closure with a success's value`() {
        var seen: [Int] = []
        success.forEach { seen.append($0) }
        failure.forEach { seen.append($0) }
        #expect(seen == [3])
    }

    @Test func `orElse, getOrElse, toOptional and the operator replace a failure`() {
        #expect([success, failure].map { $0.orElse(.success(4)).value } == [3, 4])
        #expect(failure.orElse(.failure(Oops.other)).error as? Oops == .other)
        #expect([success, failure].map { $0.getOrElse(4) } == [3, 4])
        #expect([success, failure].map { $0.toOptional() } == [3, nil])
        #expect([success, failure].map { $0 ?? 4 } == [3, 4])
        #expect([success, failure].map { ($0 ?? Try.success(4)).value } == [3, 4])
        #expect((failure ?? failure ?? 4) == 4)
    }

    @Test func `the alternative is evaluated only for a failure, and its error is thrown`() {
        func other() throws -> Int { throw Oops.thrown }
        #expect(throws: Never.self) { try success.getOrElse(other()) }
        #expect(throws: Never.self) { try success.orElse(.success(other())) }
        #expect(throws: Never.self) { try success ?? other() }
        #expect(throws: Never.self) { try success ?? Try.success(other()) }
        #expect(throws: Oops.thrown) { try failure ?? other() }
    }
}
