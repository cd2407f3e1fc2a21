import SimpleFutures
import Testing
@testable import TestSupport

/// Every closure that may throw: what it is given to, and what comes of it.
@Suite("Faults: closures that throw", .watchdog)
struct ThrowingTests {
    enum Closure: String, CaseIterable, CustomTestStringConvertible {
        case map, flatMap, flatMapToStream, filter, recover, recoverWith, recoverWithStream, mapOnQueue
        case expression, closure, resolver, method, dependentMap
        case traverse, boundedTraverse, fold, reduce, find, retry
        case streamReduce

        var testDescription: String { rawValue }

        /// A future that fails since the closure throws.
        func failed() -> Future<Int> {
            let (good, bad) = (Future(value: 1), Future<Int>(error: Oops.source))
            let first = Future<Int>()
            switch self {
            case .map: return good.map(context: immediate) { _ in throw Oops.thrown }
            case .flatMap: return good.flatMap(context: immediate) { _ -> Future<Int> in throw Oops.thrown }
            case .flatMapToStream:
                first.completeWith(
                    stream: good.flatMap(context: immediate) { _ -> FutureStream<Int> in throw Oops.thrown })
                return first
            case .filter: return good.filter(context: immediate) { _ in throw Oops.thrown }
            case .recover: return bad.recover(context: immediate) { _ in throw Oops.thrown }
            case .recoverWith: return bad.recoverWith(context: immediate) { _ -> Future<Int> in throw Oops.thrown }
            case .recoverWithStream:
                first.completeWith(
                    stream: bad.recoverWith(context: immediate) { _ -> FutureStream<Int> in throw Oops.thrown })
                return first
            case .mapOnQueue: return good.map(context: InlineContext()) { _ in throw Oops.thrown }
            case .expression: return future(try Self.fail())
            case .closure: return future(context: immediate) { try Self.fail() }
            case .resolver: return Future { _ in throw Oops.thrown }
            case .method: return future(method: { (_: @escaping @Sendable (Int) -> Void) in throw Oops.thrown })
            case .dependentMap: return Future(dependent: good.map(context: immediate) { _ in throw Oops.thrown })
            case .traverse:
                return [1].traverse { _ -> Future<Int> in throw Oops.thrown }.map(context: immediate) { $0[0] }
            case .boundedTraverse:
                return [1].traverse(maxConcurrent: 1, context: immediate) { _ -> Future<Int> in throw Oops.thrown }
                    .map(context: immediate) { $0[0] }
            case .fold: return [good].fold(context: immediate, initial: 1) { _, _ in throw Oops.thrown }
            case .reduce: return [good, good].reduce(context: immediate) { _, _ in throw Oops.thrown }
            case .find: return [good].find(context: immediate) { _ in throw Oops.thrown }
            case .retry: return Future.retry(3, context: immediate) { throw Oops.thrown }
            case .streamReduce:
                return FutureStream(value: 1).reduce(0, context: immediate) { _, _ in throw Oops.thrown }
            }
        }

        private static func fail() throws -> Int { throw Oops.thrown }
    }

    @Test(arguments: Closure.allCases)
    func `what a closure throws is the failure of the future that it was to make`(_ closure: Closure) {
        #expect(closure.failed().ended == .failure(Oops.thrown))
    }

    enum StreamClosure: String, CaseIterable, CustomTestStringConvertible {
        case map, compactMap, filter, scan, distinct, recover, flatMapToFuture, flatMapToStream

        var testDescription: String { rawValue }

        /// A stream of 1 and 3, whose closure throws at 2.
        func derived(from stream: FutureStream<Int>) -> FutureStream<Int> {
            let check: @Sendable (Int) throws -> Int = { value in
                if value == 2 { throw Oops.thrown }
                return value
            }
            switch self {
            case .map: return stream.map(context: immediate, mapping: check)
            case .compactMap: return stream.compactMap(context: immediate) { try check($0) }
            case .filter: return stream.filter(context: immediate) { try check($0) > 0 }
            case .scan: return stream.scan(0, context: immediate) { _, value in try check(value) }
            case .distinct: return stream.distinct(context: immediate) { try check($1) == $0 }
            case .recover:
                return stream.map(context: immediate, mapping: check).recover(context: immediate) { throw $0 }
            case .flatMapToFuture: return stream.flatMap(context: immediate) { Future(value: try check($0)) }
            case .flatMapToStream: return stream.flatMap(context: immediate) { FutureStream(value: try check($0)) }
            }
        }
    }

    @Test(arguments: StreamClosure.allCases)
    func `what a stream's closure throws is an element, and the stream goes on`(_ closure: StreamClosure) {
        let source = FutureStream<Int>()
        let derived = closure.derived(from: source)
        for value in 1...3 { source.success(value) }
        #expect(derived.state == [1, .failure(Oops.thrown), 3])
    }

    @Test func `what makes a stream throws an element`() {
        #expect(futureStream(try Self.fail()).state == [.failure(Oops.thrown), .finish])
        #expect(futureStream(context: immediate) { try Self.fail() }.state == [.failure(Oops.thrown), .finish])
        #expect(FutureStream<Int> { _ in throw Oops.thrown }.state == [.failure(Oops.thrown), .finish])
        let method: FutureStream<Int> = futureStream(
            capacity: 1, method: { (_: @escaping @Sendable (Int) -> Void) in throw Oops.thrown })
        #expect(method.state == [.failure(Oops.thrown), .finish])
    }

    private static func fail() throws -> Int { throw Oops.thrown }
}
