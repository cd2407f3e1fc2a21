import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Try combinators", .watchdog)
struct TryCombinatorTests {
    private let success = Try.success(3)
    private let failure = Try<Int>.failure(Oops.source)

    @Test func `map transforms the value`() {
        #expect(success.map { "\($0)" }.value == "3")
    }

    @Test func `an error thrown by map is the failure`() {
        #expect(success.map { _ -> Int in throw Oops.thrown }.error as? Oops == .thrown)
    }

    @Test func `map and flatMap pass a failure on`() {
        let log = Log<Int>()
        let mapped = failure.map { value -> Int in
            log.add(value)
            return value
        }
        let flatMapped = failure.flatMap { value -> Try<Int> in
            log.add(value)
            return .success(value)
        }
        #expect(mapped.error as? Oops == .source)
        #expect(flatMapped.error as? Oops == .source)
        #expect(log.count == 0)
    }

    @Test func `flatMap returns the closure's result`() {
        #expect(success.flatMap { .success("\($0)") }.value == "3")
        #expect(success.flatMap { _ in Try<String>.failure(Oops.other) }.error as? Oops == .other)
        #expect(success.flatMap { _ -> Try<Int> in throw Oops.thrown }.error as? Oops == .thrown)
    }

    @Test func `mapError transforms the error`() {
        #expect(failure.mapError { _ in Oops.other }.error as? Oops == .other)
        #expect(success.mapError { _ in Oops.other }.value == 3)
    }

    @Test func `recover replaces the error by a value`() {
        #expect(failure.recover { $0 as? Oops == .source ? 4 : 5 }.value == 4)
        #expect(failure.recover { _ in throw Oops.thrown }.error as? Oops == .thrown)
        #expect(success.recover { _ in 4 }.value == 3)
    }

    @Test func `recoverWith replaces the error by a result`() {
        #expect(failure.recoverWith { _ in .success(4) }.value == 4)
        #expect(failure.recoverWith { _ in .failure(Oops.other) }.error as? Oops == .other)
        #expect(failure.recoverWith { _ in throw Oops.thrown }.error as? Oops == .thrown)
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

    @Test func `orElse returns the other result for a failure`() {
        #expect(success.orElse(.success(4)).value == 3)
        #expect(failure.orElse(.success(4)).value == 4)
        #expect(failure.orElse(.failure(Oops.other)).error as? Oops == .other)
    }

    @Test func `toOptional returns the value or nil`() {
        #expect(success.toOptional() == 3)
        #expect(failure.toOptional() == nil)
    }

    @Test func `getOrElse returns the other value for a failure`() {
        #expect(success.getOrElse(4) == 3)
        #expect(failure.getOrElse(4) == 4)
    }

    @Test func `the operator accepts a value or a result`() {
        #expect(success ?? 4 == 3)
        #expect(failure ?? 4 == 4)
        #expect((success ?? Try.success(4)).value == 3)
        #expect((failure ?? Try.success(4)).value == 4)
        #expect((failure ?? failure ?? 4) == 4)
    }

    @Test func `the alternative is not evaluated for a success`() {
        var calls = 0
        func other() -> Int {
            calls += 1
            return 4
        }
        _ = success.getOrElse(other())
        _ = success.orElse(.success(other()))
        _ = success ?? other()
        _ = success ?? Try.success(other())
        #expect(calls == 0)
    }
}
