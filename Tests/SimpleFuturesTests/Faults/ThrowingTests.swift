import SimpleFutures
import Testing
@testable import TestSupport

/// Errors thrown by closures, except those of futures' combinators, which `FutureCombinatorTests` covers.
@Suite("Programmer errors: closures that throw", .watchdog)
struct ThrowingTests {
    @Test func `an error thrown by a closure that creates a future fails the future`() {
        let good = Future(value: 1)
        let failed: [Future<Int>] = [
            future(try Self.fail()),
            future(context: immediate) { try Self.fail() },
            Future { _ in throw Oops.thrown },
            future(method: { (_: @escaping @Sendable (Int) -> Void) in throw Oops.thrown }),
            Future(dependent: good.map(context: immediate) { _ in throw Oops.thrown }),
            good.map(context: InlineContext()) { _ in throw Oops.thrown },
            FutureStream(value: 1).reduce(0, context: immediate) { _, _ in throw Oops.thrown },
        ]
        for (index, future) in failed.enumerated() { #expect(future.ended == .failure(Oops.thrown), "\(index)") }
    }

    @Test(arguments: StreamCombinator.all.filter { $0.canThrow })
    func `an error thrown by a stream's closure is an element, and the stream continues`(_ combinator: StreamCombinator)
    {
        let source = FutureStream<Int>()
        let derived = combinator.apply(to: source) { given in if given.value ?? 2 == 2 { throw Oops.thrown } }
        source.success(1)
        if combinator.runs == .error { source.failure(Oops.source) } else { source.success(2) }
        source.success(3)
        #expect(derived.state == [1, .failure(Oops.thrown), 3])
    }

    @Test func `an error thrown during the creation of a stream is an element`() {
        #expect(futureStream(try Self.fail()).state == [.failure(Oops.thrown), .finish])
        #expect(futureStream(context: immediate) { try Self.fail() }.state == [.failure(Oops.thrown), .finish])
        #expect(FutureStream<Int> { _ in throw Oops.thrown }.state == [.failure(Oops.thrown), .finish])
        let method: FutureStream<Int> = futureStream(
            capacity: 1, method: { (_: @escaping @Sendable (Int) -> Void) in throw Oops.thrown })
        #expect(method.state == [.failure(Oops.thrown), .finish])
    }

    private static func fail() throws -> Int { throw Oops.thrown }
}
