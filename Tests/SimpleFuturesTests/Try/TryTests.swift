import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Try", .watchdog)
struct TryTests {
    @Test func `a success has a value and no error`() {
        let result = Try.success(3)
        #expect(result.value == 3)
        #expect(result.error == nil)
        #expect(result.isSuccess())
        #expect(!result.isFailure())
    }

    @Test func `a failure has an error and no value`() {
        let result = Try<Int>.failure(Oops.source)
        #expect(result.value == nil)
        #expect(result.error as? Oops == .source)
        #expect(!result.isSuccess())
        #expect(result.isFailure())
    }

    @Test func `it can be made of a value`() {
        #expect(Try(3).value == 3)
    }

    @Test func `it can be made of an error`() {
        #expect(Try<Int>(Oops.source).error as? Oops == .source)
    }

    @Test func `it can be made of a closure that returns`() {
        #expect(Try<Int> { 3 }.value == 3)
    }

    @Test func `it can be made of a closure that throws`() {
        #expect(Try<Int> { throw Oops.thrown }.error as? Oops == .thrown)
    }

    @Test func `a closure is called once, immediately`() {
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
        let success: Result<Int, Oops> = .success(3)
        let failure: Result<Int, Oops> = .failure(.source)
        #expect(Try<Int>(success).value == 3)
        #expect(Try<Int>(failure).error as? Oops == .source)
        #expect(try Try.success(3).result.get() == 3)
        #expect(throws: Oops.source) { try Try<Int>.failure(Oops.source).result.get() }
    }

    @Test func `get returns the value or throws the error`() throws {
        #expect(try Try.success(3).get() == 3)
        #expect(throws: Oops.source) { try Try<Int>.failure(Oops.source).get() }
    }

    @Test func `a value that is nil is a value`() {
        let result = Try<Int?>.success(nil)
        #expect(result.isSuccess())
        #expect(result.value == .some(nil))
        #expect(result.getOrElse(3) == nil)
        #expect(result.orElse(.success(3)).value == .some(nil))
        #expect(result.recover { _ in 3 }.value == .some(nil))
        var seen = 0
        result.forEach { _ in seen += 1 }
        #expect(seen == 1)
    }

    @Test func `it can contain a value that is not Sendable`() {
        final class Plain {}
        let object = Plain()
        #expect(Try(object).value === object)
    }

    @Test func `a Result or a closure without annotation is converted, not wrapped as a value`() {
        let result: Result<Int, any Error> = .failure(Oops.source)
        #expect(Try(result).error is Oops)
        #expect(Try { 1 + 1 }.value == 2)
        #expect(Try(3).value == 3)
        let closure: Try<@Sendable () -> Int> = Try({ 4 })
        #expect(closure.value?() == 4)
    }

    @Test func `it is Sendable if its value is`() async {
        let result = Try.success(3)
        #expect(await onThread { result.value } == 3)
    }
}
