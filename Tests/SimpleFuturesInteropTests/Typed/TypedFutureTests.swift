import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("TypedFuture", .watchdog)
struct TypedFutureTests {
    private let right = Login(value: 1)
    private let wrong = Login(error: .wrongPassword)
    private let foreign = Future<Int>(error: Oops.other).typed(as: LoginError.self)
    private let time = ManualContext()

    @Test func `a value, an error, and an untyped future`() async {
        #expect(await right.end == "1")
        #expect(await wrong.end == "failed wrongPassword")
        #expect(await Login(result: .success(1)).end == "1")
        #expect(await Login(result: .failure(.wrongPassword)).end == "failed wrongPassword")
        #expect(await foreign.end == "other other")
        let untyped: Future<Int> = wrong.future
        #expect(untyped.ended == .failure(LoginError.wrongPassword))
        #expect(MemoryLayout<Login>.size == MemoryLayout<Int>.size)
    }

    @Test func `a completion handler keeps the type of its error`() async {
        func login(_ password: String, _ completion: @escaping @Sendable (Result<Int, LoginError>) -> Void) {
            completion(password == "right" ? .success(1) : .failure(.wrongPassword))
        }
        #expect(await Login { login("right", $0) }.end == "1")
        #expect(await TypedFuture { login("wrong", $0) }.end == "failed wrongPassword")
        let made = #line + 1
        let dropped = TypedFuture { (_: @escaping @Sendable (Result<Int, LoginError>) -> Void) in }
        guard case .failure(.broken(.brokenPromise(let site))) = await dropped.result else {
            Issue.record("\(await dropped.result)")
            return
        }
        #expect("\(String(describing: site))".contains("TypedFutureTests.swift:\(made)"))
        let refused = Login { (_: @escaping @Sendable (Result<Int, LoginError>) -> Void) in throw Oops.thrown }
        #expect(await refused.end == "other thrown")
    }

    @Test func `an asynchronous closure`() async {
        func login(_ password: String) async throws(LoginError) -> Int {
            guard password == "right" else { throw .wrongPassword }
            return 1
        }
        #expect(await Login { try await login("right") }.end == "1")
        #expect(await Login { try await login("wrong") }.end == "failed wrongPassword")
        #expect(await Login { throw Oops.thrown }.end == "other thrown")
        let token = CancelToken()
        let stopped = Login(name: "login", cancelToken: token) {
            try await Task.sleep(for: .seconds(600))
            return 1
        }
        token.cancel()
        #expect(await stopped.end == "cancelled")
    }

    @Test func `a promise: the first completion counts`() async {
        let promises = (0..<7).map { _ in TypedPromise<Int, LoginError>() }
        promises[0].success(1)
        promises[1].failure(.wrongPassword)
        promises[2].complete(.success(1))
        promises[3].completeWith(right)
        #expect(await promises[3].future.end == "1")
        #expect(promises[4].trySuccess(1))
        #expect(promises[5].tryFailure(.wrongPassword))
        #expect(promises[6].tryComplete(.failure(.wrongPassword)))
        for (index, promise) in promises.enumerated() {
            #expect(!promise.trySuccess(2) && !promise.tryFailure(.wrongPassword) && !promise.tryComplete(.success(2)))
            #expect(await promise.future.end == ([1, 5, 6].contains(index) ? "failed wrongPassword" : "1"))
        }
        let (done, tried) = (TypedPromise<Void, LoginError>(), TypedPromise<Void, LoginError>())
        done.success()
        #expect(tried.trySuccess() && !done.trySuccess())
        #expect(done.future.future.completed && tried.future.future.completed)
        #expect(promises[0].promise.future.ended == .success(1))
    }

    @Test func `with the error type Never, a wait can still be ended`() async {
        let (sure, broken) = (TypedFuture<Int, Never>(value: 1), TypedPromise<Int, Never>().future)
        #expect(await sure.value(or: 2) == 1)
        #expect(await broken.value(or: 2) == 2)
        #expect(word(await broken.result) == "broken")
        #expect(await inCancelledTask { await TypedPromise<Int, Never>().future.value(or: 3) } == 3)
    }

    @Test func `map and flatMap: values and errors are passed on, and closures can throw any error`() async {
        #expect(await right.map(context: immediate) { $0 + 1 }.end == "2")
        #expect(await wrong.map(context: immediate) { $0 + 1 }.end == "failed wrongPassword")
        #expect(
            await right.map(context: immediate) { _ in throw LoginError.wrongPassword }.end == "failed wrongPassword")
        #expect(await right.map(context: immediate) { _ -> Int in throw Oops.thrown }.end == "other thrown")
        #expect(await right.flatMap(context: immediate) { Login(value: $0 + 1) }.end == "2")
        #expect(await right.flatMap(context: immediate) { _ in wrong }.end == "failed wrongPassword")
        #expect(await wrong.flatMap(context: immediate) { _ in right }.end == "failed wrongPassword")
        #expect(await right.flatMap(context: immediate) { _ -> Login in throw Oops.thrown }.end == "other thrown")
    }

    @Test func `mapError: the type's own errors, or all errors if the type can hold them`() async {
        for (source, result) in [
            (wrong, Result<Int, APIError>.failure(.notFound)), (right, .success(1)),
            (foreign, .failure(.other("other"))),
        ] {
            #expect(await source.mapError(context: immediate) { _ in APIError.notFound }.result == result)
        }
        let log = Log<APIError>()
        let converted = foreign.future.typed(as: APIError.self)
            .mapError(context: immediate) { error -> LoginError in
                log.add(error)
                return .wrongPassword
            }
        #expect(await converted.end == "failed wrongPassword")
        #expect(log.all == [.other("other")])
    }

    @Test func `recover: cannot fail any more, except for errors that end a wait`() async {
        let recovered: TypedFuture<Int, Never> = wrong.recover(context: immediate) { _ in 2 }
        #expect(await recovered.value(or: 3) == 2)
        #expect(await right.recover(context: immediate) { _ in 2 }.value(or: 3) == 1)
        #expect(await foreign.recover(context: immediate) { _ in 2 }.value(or: 3) == 3)
        let everything = foreign.future.typed(as: APIError.self).recover(context: immediate) { _ in 2 }
        #expect(await everything.value(or: 3) == 2)
    }

    @Test func `materialize leaves its source when nothing waits for it`() {
        let source = Future<Int>()
        _ = source.typed(as: LoginError.self).materialize()
        _ = source.typed(as: Stopped<LoginError>.self).materialize()
        #expect(source.observerCount == 0)
    }

    @Test func `an error thrown on from another await with the same type is the future's own`() async {
        let source = wrong
        @Sendable func again() -> Login { Login { try await source.value } }
        #expect(await again().recover(context: immediate) { _ in 2 }.value(or: 3) == 2)
        #expect(await again().mapError(context: immediate) { _ in APIError.notFound }.result == .failure(.notFound))
        let count = Tally()
        let refused = Login.retry(3, context: immediate, while: { _ in false }) {
            count.add()
            return again()
        }
        #expect(await refused.end == "failed wrongPassword")
        #expect(count.count == 1)
        // A cancellation of the other wait is not.
        let cancelled = Login { throw Stopped<LoginError>.cancelled }
        #expect(await cancelled.recover(context: immediate) { _ in 2 }.value(or: 3) == 3)
        let any = Future<Int>(error: Stopped<any Error>.cancelled).typed(as: (any Error).self)
        #expect(await any.recover(context: immediate) { _ in 2 }.value(or: 3) == 3)
    }

    @Test func `an error thrown on from an await with another type has the same reason`() async {
        let cancelled = TypedFuture<Int, OtherError> { throw CancellationError() }
        let late = TypedFuture<Int, OtherError> { throw FuturesError.timedOut }
        let failed = TypedFuture<Int, OtherError>(error: OtherError())
        #expect(await Login { try await cancelled.value }.end == "cancelled")
        #expect(await Login { try await late.value }.end == "timed out")
        #expect(await Login { try await failed.value }.end == "other OtherError()")
        // `recover` changes the type, and skips what has stopped the wait.
        let recovered: TypedFuture<Int, Never> = cancelled.recover(context: immediate) { _ in 2 }
        #expect(await Login { try await recovered.value }.end == "cancelled")
        let converted = TypedFuture<Int, APIError> { try await cancelled.value }
        #expect(await converted.result == .failure(.cancelled))
        #expect(await converted.recover(context: immediate) { $0 == .cancelled ? 2 : 3 }.value(or: 4) == 2)
        let own = TypedFuture<Int, APIError> { throw Stopped<APIError>.failed(.notFound) }
        #expect(await own.result == .failure(.notFound))
    }

    @Test func `recover that throws another type, and recover with another future`() async {
        for (result, expected) in [
            (Result<Int, any Error>.success(2), Result<Int, APIError>.success(2)),
            (.failure(APIError.notFound), .failure(.notFound)), (.failure(Oops.thrown), .failure(.other("thrown"))),
        ] {
            let again = wrong.recover(throwing: APIError.self, context: immediate) { _ in try result.get() }
            #expect(await again.result == expected)
        }
        let with = wrong.recoverWith(context: immediate) { _ in TypedFuture<Int, APIError>(error: .notFound) }
        #expect(await with.result == .failure(.notFound))
        #expect(await right.recoverWith(context: immediate) { _ in wrong }.end == "1")
        #expect(await foreign.recoverWith(context: immediate) { _ in right }.end == "other other")
    }

    @Test func `zip: values of several types, one error type`() async throws {
        let pair: TypedFuture<(Int, String), LoginError> = right.zip(TypedFuture(value: "a"))
        #expect(try await pair.value == (1, "a"))
        let three = try await zip(right, TypedFuture(value: "a"), TypedFuture(value: true)).value
        #expect(three == (1, "a", true))
        let log = Log<String>()
        @Sendable func note(_ values: Any...) { log.add(values.map { "\($0)" }.joined(separator: " ")) }
        let text = TypedFuture<String, LoginError>(value: "ab")
        #expect(try await zip(text, right, right, right).value == ("ab", 1, 1, 1))
        zip(text, text).onSuccess(context: immediate) { note($0.count, $1.count) }
        text.zip(text, right).onSuccess(context: immediate) { note($0.count, $1.count, $2) }
        text.zip(text, right, right).onSuccess(context: immediate) { note($0.count, $1.count, $2, $3) }
        text.zip(text, right, right, right).onSuccess(context: immediate) { note($0, $1, $2, $3, $4) }
        #expect(log.all == ["2 2", "2 2 1", "2 2 1 1", "ab ab 1 1 1"])
        typealias Six = (String, String, String, String, String, Int)
        let six: TypedFuture<Six, LoginError> = text.zip(text, text, text, text, right)
        #expect(try await six.value.5 == 1)
        #expect(await right.zip(wrong).map(context: immediate) { $0.0 }.end == "failed wrongPassword")
    }

    @Test func `many futures: sequence, traverse, fold and firstCompleted`() async {
        let promise = TypedPromise<Int, LoginError>()
        let all: TypedFuture<[Int], LoginError> = [right, promise.future].sequence()
        let first: Login = [promise.future, right].firstCompleted()
        let sum: Login = [right, promise.future].fold(context: immediate, initial: 0) { $0 + $1 }
        let traversed: TypedFuture<[Int], LoginError> = [1, 2].traverse { Login(value: $0) }
        promise.success(2)
        #expect((try? await all.value) == [1, 2])
        #expect(await first.end == "1")
        #expect(await sum.end == "3")
        #expect((try? await traversed.value) == [1, 2])
        #expect(
            await [right, wrong].sequence().map(\.count, context: immediate).end == "failed wrongPassword")
        #expect(await [1].traverse { _ -> Login in throw Oops.thrown }.map(mapping: \.count).end == "other thrown")
        #expect(
            await [right].fold(context: immediate, initial: 0) { _, _ in throw Oops.thrown }.end == "other thrown")
    }

    @Test func `timeout, delay and ensure`() async {
        let (promise, token, log) = (TypedPromise<Int, LoginError>(), CancelToken(), Log<String>())
        let late = promise.future.timeout(.seconds(1), context: time)
        let stopped = promise.future.timeout(.seconds(1), cancelling: token, context: time)
        let delayed = right.delay(.seconds(1), context: time)
        let ensured = wrong.ensure(context: immediate) { log.add("clean") }
        right.ensure(context: immediate) { log.add("unused") }
        #expect(delayed.future.ended == .pending)
        time.advance(by: .seconds(1))
        #expect(await late.end == "timed out")
        #expect(await stopped.end == "timed out")
        #expect(token.isCancelled)
        #expect(await delayed.end == "1")
        #expect(await ensured.end == "failed wrongPassword")
        #expect(log.all == ["clean", "unused"])
        promise.success(1)
    }

    @Test func `retry asks its closure about errors of the type, and ends after others`() async {
        let (count, others, asked) = (Tally(), Tally(), Log<LoginError>())
        let third = Login.retry(5, context: immediate) {
            count.add()
            return count.count < 3 ? wrong : right
        }
        #expect(await third.end == "1" && count.count == 3)
        let later = Login.retry(2, delay: .seconds(9), context: time) { time.now < .seconds(9) ? wrong : right }
        time.advance(by: .seconds(9))
        #expect(await later.end == "1")
        let shouldRetry: @Sendable (LoginError) -> Bool = {
            asked.add($0)
            return false
        }
        let refused = Login.retry(5, context: immediate, while: shouldRetry) { wrong }
        #expect(await refused.end == "failed wrongPassword" && asked.all == [.wrongPassword])
        for shouldRetry in [shouldRetry, nil] {
            let last = Login.retry(3, context: immediate, while: shouldRetry) {
                others.add()
                return foreign
            }
            #expect(await last.end == "other other")
            #expect((others.count, asked.count) == (shouldRetry == nil ? 4 : 1, 1))
        }
        let converted = TypedFuture<Int, APIError>.retry(3, context: immediate, while: { $0 != .other("other") }) {
            others.add()
            return Future(error: Oops.other).typed(as: APIError.self)
        }
        #expect(await converted.result == .failure(.other("other")) && others.count == 5)
    }

    @Test func `materialize: the result as a value`() async throws {
        let own: TypedFuture<Result<Int, Stopped<LoginError>>, Never> = wrong.materialize()
        #expect(word(try await own.value) == "failed wrongPassword")
        let converted = try await foreign.future.typed(as: APIError.self).materialize().value
        #expect(converted == .failure(.other("other")))
        #expect(try await right.future.typed(as: APIError.self).materialize().value == .success(1))
    }

    @Test func `a token cancels a derived future and its wait`() async {
        let (promise, token) = (TypedPromise<Int, LoginError>(), CancelToken())
        let derived = [
            promise.future.map(context: immediate, cancelToken: token) { $0 },
            promise.future.flatMap(context: immediate, cancelToken: token) { Login(value: $0) },
            promise.future.mapError(context: immediate, cancelToken: token) { $0 },
            promise.future.recover(throwing: LoginError.self, context: immediate, cancelToken: token) { throw $0 },
            promise.future.recoverWith(context: immediate, cancelToken: token) { Login(error: $0) },
            promise.future.delay(.seconds(1), context: time, cancelToken: token),
            promise.future.timeout(.seconds(1), context: time, cancelToken: token),
        ]
        token.cancel()
        for future in derived { #expect(await future.end == "cancelled") }
    }
}

private typealias Login = TypedFuture<Int, LoginError>

extension TypedFuture where T == Int, Failure == LoginError {
    /// The result as text.
    fileprivate var end: String { get async { word(await result) } }
}

private struct OtherError: Error {}
