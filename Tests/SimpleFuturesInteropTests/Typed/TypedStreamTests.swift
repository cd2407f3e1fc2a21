import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("TypedStream", .watchdog)
struct TypedStreamTests {
    private let promise = StreamPromise<Int>()
    private var prices: TypedStream<Int, LoginError> { promise.stream.typed(as: LoginError.self) }
    private let own = "failed wrongPassword"
    private let other = "other other"

    @Test func `what closures of the library throw is the error inside a Stopped`() async throws {
        let failed = TypedFuture<Int, LoginError>(error: .wrongPassword)
        @Sendable func wrong() async throws -> Int { try await failed.value }
        @Sendable func isOwn(_ error: (any Error)?) -> Bool { error as? LoginError == .wrongPassword }
        let attempts = Tally()
        let retried = Future<Int>.retry(2, while: { !($0 is LoginError) }) {
            attempts.add()
            return try await wrong()
        }
        let stream = FutureStream<Int>(value: 1)
        let futures: [Future<Int>] = [
            Future { try await wrong() }, Task { try await wrong() }.future, retried,
            Future(value: 1).asyncMap { _ in try await wrong() },
            Future(error: Oops.other).asyncRecover { _ in try await wrong() },
            SharedWork { try await wrong() }.future(), stream.asyncMap { _ in try await wrong() }.first(),
            FutureStream(error: Oops.other).asyncRecover { _ in try await wrong() }.first(),
            FutureStream(AsyncThrowingStream { try await wrong() }, capacity: 1).first(),
        ]
        for (index, future) in futures.enumerated() { #expect(isOwn(await future.outcome.error), "future \(index)") }
        #expect(attempts.count == 1)
        let canceled = Future<Int>().typed(as: LoginError.self)
        canceled.future.cancelAsTarget()
        #expect(await Future { try await canceled.value }.outcome.error is CancellationError)
        let (plain, result, typed) = (Future<Bool>(), Future<Bool>(), Future<String>())
        callback({ @Sendable (_: Int?, error: (any Error)?) in plain.success(isOwn(error)) }) { try await wrong() }
        callback({ @Sendable (end: Result<Int, any Error>) in result.success(isOwn(Try(end).error)) }) {
            try await wrong()
        }
        callback({ @Sendable (end: Result<Int, Stopped<LoginError>>) in typed.success("\(end)") }) {
            () async throws(Stopped<LoginError>) in try await failed.value
        }
        #expect(await plain.outcome.value == true)
        #expect(await result.outcome.value == true)
        #expect(await typed.outcome.value == "failure(\(Stopped.failed(LoginError.wrongPassword)))")
    }

    @Test @MainActor func `combinators of typed futures and streams run on the caller's actor`() async throws {
        // Isolated, so that it can be called only on the actor.
        var words: [String] = []
        func add<Value>(_ word: String, _ value: Value) -> Value {
            words.append(word)
            return value
        }
        let (failed, found) = (
            TypedFuture<Int, LoginError>(error: .wrongPassword), TypedFuture<Int, LoginError>(value: 1)
        )
        #expect((try? await found.flatMap(isolated: { add("flatMap", TypedFuture(value: $0 + 1)) }).result.get()) == 2)
        #expect((try? await failed.recover(isolated: { _ in add("recover", 3) }).result.get()) == 3)
        let thrown = failed.recover(
            throwing: APIError.self,
            isolated: { _ in
                words.append("throw")
                throw APIError.notFound
            })
        #expect((try? await thrown.result.get()) == nil)
        #expect((try? await failed.recoverWith(isolated: { _ in add("recoverWith", found) }).result.get()) == 1)
        let other = failed.mapError(isolated: { _ in add("mapError", APIError.notFound) })
        #expect(await other.result == .failure(.notFound))
        #expect(words == ["flatMap", "recover", "throw", "recoverWith", "mapError"])
        words = []
        let source = StreamPromise<Int>()
        let stream = source.stream.typed(as: LoginError.self)
            .map(isolated: { add("map", $0 + 1) })
            .filter(isolated: { add("filter", $0 > 2) })
            .flatMap(isolated: { add("flatMap", FutureStream(value: $0).typed(as: LoginError.self)) })
            .recover(isolated: { _ in add("recover", 0) })
        for value in 1...2 { source.success(value) }
        source.failure(LoginError.wrongPassword)
        source.finish()
        var values: [Int] = []
        for try await value in stream.stream.values { values.append(value) }
        #expect(values == [3, 0])
        #expect(words.sorted() == ["filter", "filter", "flatMap", "map", "map", "recover"])
    }

    @Test func `the buffer of a loop can be bounded`() async throws {
        for value in 1...3 { promise.success(value) }
        promise.finish()
        let convertible = promise.stream.typed(as: APIError.self)
        for try await value in convertible.values(buffering: .newest(1)) { #expect(value == 3) }
        for try await value in prices.values(buffering: .newest(1)) { #expect(value == 3) }
        #expect(await convertible.results(buffering: .newest(1)).all.map { word($0) } == ["3"])
        #expect(await prices.results(buffering: .newest(1)).all.map { word($0) } == ["3"])
    }

    @Test func `map, flatMap and filter: values and errors are passed on, and closures can throw any error`() async {
        emit()
        #expect(await prices.map(context: immediate) { $0 + 1 }.words == ["2", own, other, "3"])
        #expect(await prices.map(\.nonzeroBitCount, context: immediate).words == ["1", own, other, "1"])
        let thrown = prices.map(context: immediate) { _ -> Int in throw LoginError.wrongPassword }
        #expect(await thrown.words == [own, own, other, own])
        let doubled = prices.flatMap(context: immediate) { stream(of: $0, $0).typed(as: LoginError.self) }
        #expect(await doubled.words.sorted() == ["1", "1", "2", "2", own, other])
        #expect(await prices.filter(context: immediate) { $0 > 1 }.words == [own, other, "2"])
    }

    @Test func `mapError and recover: the type's own errors, or all errors if the type can hold them`() async {
        emit()
        let renamed: TypedStream<Int, APIError> = prices.mapError(context: immediate) { _ in .notFound }
        #expect(
            await renamed.results.all == [.success(1), .failure(.notFound), .failure(.other("other")), .success(2)])
        let back = renamed.mapError(context: immediate) { _ in LoginError.wrongPassword }
        #expect(await back.words == ["1", own, own, "2"])
        let recovered: TypedStream<Int, Never> = prices.recover(context: immediate) { _ in 0 }
        #expect(await recovered.words == ["1", "0", other, "2"])
        #expect(await renamed.recover(context: immediate) { _ in 0 }.words == ["1", "0", "0", "2"])
    }

    @Test func `an error thrown on from an await with the same type is the stream's own`() async {
        promise.failure(Stopped<LoginError>.failed(.wrongPassword))
        promise.failure(Stopped<LoginError>.cancelled)
        promise.finish()
        #expect(await prices.recover(context: immediate) { _ in 2 }.words == ["2", "cancelled"])
        let renamed: TypedStream<Int, APIError> = prices.mapError(context: immediate) { _ in .notFound }
        #expect(await renamed.results.all.first == .failure(.notFound))
    }

    @Test func `a token cancels a derived stream`() async {
        let token = CancelToken()
        let derived = [
            prices.map(context: immediate, cancelToken: token) { $0 },
            prices.flatMap(context: immediate, cancelToken: token) { _ in prices },
            prices.filter(context: immediate, cancelToken: token) { _ in true },
            prices.mapError(context: immediate, cancelToken: token) { $0 },
        ]
        token.cancel()
        for stream in derived { #expect(await stream.words == ["cancelled"]) }
    }

    @Test func `the iterator counts lost elements`() async throws {
        var iterator = promise.stream.values(throwing: APIError.self, buffering: .newest(1)).makeAsyncIterator()
        var results = promise.stream.results(throwing: APIError.self, buffering: .newest(1)).makeAsyncIterator()
        for value in 1...3 { promise.success(value) }
        #expect(try await iterator.next() == 3)
        #expect(iterator.droppedCount == 2)
        #expect(await results.next() == .success(3))
        #expect(results.droppedCount == 2)
        promise.finish()
        #expect(try await iterator.next() == nil)
        #expect(await results.next() == nil)
    }

    @Test @MainActor func `a loop stays on the caller's actor`() async throws(APIError) {
        emit()
        var values: [Int] = []
        for await result in promise.stream.results(throwing: APIError.self) {
            MainActor.assertIsolated()
            if case .success(let value) = result { values.append(value) }
        }
        #expect(values == [1, 2])
        let sequence = stream(of: 1, 2).values(throwing: APIError.self)
        for try await value in sequence {
            MainActor.assertIsolated()
            values.append(value)
        }
        #expect(values == [1, 2, 1, 2])
    }

    @Test(arguments: End.allCases)
    func `a loop over values, and one over results`(_ end: End) async {
        for exit in StreamExit.allCases {
            let source = TypedSource(end)
            let answer = Task {
                if end == .cancelledTask { withUnsafeCurrentTask { $0?.cancel() } }
                return await exit.answer(source.stream)
            }
            if end != .cancelledTask { await until { source.stream.core.subscriberCount > 0 } }
            source.end()
            // A stream finishes when its producer is released.
            let expected = exit.isConvertible ? end.convertible : end.stopped
            #expect(await answer.value == (end == .broken ? "nothing" : expected), "\(exit)")
        }
    }

    @Test(arguments: [End.success, .ownFailure, .foreignFailure, .timedOut])
    func `callbacks of a stream`(_ end: End) {
        let (source, log) = (TypedSource(end), Log<String>())
        source.stream.onResult(throwing: APIError.self, context: immediate) { log.add(word($0)) }
        source.stream.typed(as: APIError.self).onResult(context: immediate) { log.add(word($0)) }
            .onFailure(context: immediate) { log.add(word($0)) }
            .onSuccess(context: immediate) { log.add("\($0)") }
        source.stream.typed(as: LoginError.self).onResult(context: immediate) { log.add(word($0)) }
            .onFailure(context: immediate) { log.add(word($0)) }
            .onSuccess(context: immediate) { log.add("\($0)") }
        source.end()
        #expect(log.all == Array(repeating: end.convertible, count: 3) + Array(repeating: end.stopped, count: 2))
    }

    /// Emits elements into the replay buffer.
    private func emit() {
        promise.success(1)
        promise.failure(LoginError.wrongPassword)
        promise.failure(Oops.other)
        promise.success(2)
        promise.finish()
    }
}

extension TypedStream<Int, LoginError> {
    fileprivate var words: [String] { get async { await results.all.map { word($0) } } }
}

extension TypedStream<Int, Never> {
    fileprivate var words: [String] { get async { await results.all.map { word($0) } } }
}

/// The ways to iterate over a stream with typed errors.
///
/// The result is the first element.
private enum StreamExit: CaseIterable {
    case values, results, viewOfConvertible, viewOfConvertibleResults, view, viewResults

    var isConvertible: Bool { self != .view && self != .viewResults }

    func answer(_ stream: FutureStream<Int>) async -> String {
        do throws(APIError) {
            switch self {
            case .values: for try await value in stream.values(throwing: APIError.self) { return word(value) }
            case .results: for await result in stream.results(throwing: APIError.self) { return word(result) }
            case .viewOfConvertible:
                for try await value in stream.typed(as: APIError.self).values { return word(value) }
            case .viewOfConvertibleResults:
                for await result in stream.typed(as: APIError.self).results { return word(result) }
            case .view, .viewResults: break
            }
        } catch {
            return word(error)
        }
        do throws(Stopped<LoginError>) {
            switch self {
            case .view: for try await value in stream.typed(as: LoginError.self).values { return word(value) }
            case .viewResults:
                for await result in stream.typed(as: LoginError.self).results { return word(result) }
            default: break
            }
        } catch {
            return word(error)
        }
        return "nothing"
    }
}

extension TypedStreamResults {
    fileprivate var all: [Element] {
        get async {
            var all: [Element] = []
            for await element in self { all.append(element) }
            return all
        }
    }
}

private func stream(of values: Int...) -> FutureStream<Int> {
    let promise = StreamPromise<Int>()
    for value in values { promise.success(value) }
    promise.finish()
    return promise.stream
}
