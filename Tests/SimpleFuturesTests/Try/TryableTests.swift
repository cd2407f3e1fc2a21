import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Tryable", .watchdog)
struct TryableTests {
    /// A user's type.
    private struct Reply: Tryable {
        var value: Int?
        var error: (any Error)?

        init(_ value: Int) { self.value = value }
        init(_ error: any Error) { self.error = error }
        init(value: Int?, error: (any Error)?) {
            self.value = value
            self.error = error
        }
    }

    private let success = Reply(1)
    private let failure = Reply(Oops.source)

    @Test func `every combinator`() {
        #expect(Outcome(success.map { $0 + 1 }) == .success(2))
        #expect(Outcome(success.flatMap { Try($0 + 2) }) == .success(3))
        #expect(Outcome(success.filter { $0 > 1 }) == .failure(FuturesError.noSuchElement))
        #expect(Outcome(failure.mapError { _ in Oops.other }) == .failure(Oops.other))
        #expect(Outcome(failure.recover { _ in 4 }) == .success(4))
        #expect(Outcome(failure.recoverWith { _ in Try(5) }) == .success(5))
        #expect(failure.orElse(success).value == 1)
        #expect(success.orElse(failure).value == 1)
        #expect(failure.toOptional() == nil)
        #expect(failure.getOrElse(6) == 6)
        #expect((failure ?? 7) == 7)
        #expect((failure ?? success).value == 1)
        #expect(success.isSuccess() && !success.isFailure())
        #expect(failure.isFailure() && !failure.isSuccess())
        #expect(throws: Oops.source) { try failure.get() }
        var seen: [Int] = []
        success.forEach { seen.append($0) }
        failure.forEach { seen.append($0) }
        #expect(seen == [1])
    }

    @Test func `with both a value and an error the error counts, and with neither it is invalid`() {
        #expect(Outcome(Reply(value: 1, error: Oops.source).asTry) == .failure(Oops.source))
        #expect(Outcome(Reply(value: nil, error: nil).asTry) == .failure(FuturesError.invalidValue))
    }

    @Test func `a sequence of them returns all values or the first error`() {
        #expect(Outcome([success, Reply(2)].sequence()) == .success([1, 2]))
        #expect(Outcome([success, failure, Reply(Oops.other)].sequence()) == .failure(Oops.source))
        #expect(Outcome([Try<Int>]().sequence()) == .success([]))
        #expect(Outcome([Try(1), Try(2)].sequence()) == .success([1, 2]))
    }
}

@Suite("Optional's filter and forEach", .watchdog)
struct OptionalValueTests {
    @Test func `filter returns the value if the closure returns true`() {
        #expect(Optional(1).filter { $0 > 0 } == 1)
        #expect(Optional(1).filter { $0 > 1 } == nil)
        #expect(Int?.none.filter { _ in true } == nil)
        #expect(throws: Oops.thrown) { try Optional(1).filter { _ in throw Oops.thrown } }
    }

    @Test func `forEach calls the closure with a value`() {
        var seen: [Int] = []
        Optional(1).forEach { seen.append($0) }
        Int?.none.forEach { seen.append($0) }
        #expect(seen == [1])
        #expect(throws: Oops.thrown) { try Optional(1).forEach { _ in throw Oops.thrown } }
    }
}
