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

    // MARK: Creation

    @Test func `a value, an error, and an untyped future`() async {
        #expect(await right.end == .value(1))
        #expect(await wrong.end == .failed)
        #expect(await Login(result: .success(1)).end == .value(1))
        #expect(await Login(result: .failure(.wrongPassword)).end == .failed)
        #expect(await foreign.end == .other)
        let untyped: Future<Int> = wrong.future
        #expect(untyped.ended == .failure(LoginError.wrongPassword))
        #expect(MemoryLayout<Login>.size == MemoryLayout<Int>.size)
    }

    @Test func `a completion handler keeps the type of its error`() async {
        func login(_ password: String, _ completion: @escaping @Sendable (Result<Int, LoginError>) -> Void) {
            completion(password == "right" ? .success(1) : .failure(.wrongPassword))
        }
        #expect(await Login { login("right", $0) }.end == .value(1))
        #expect(await TypedFuture { login("wrong", $0) }.end == .failed)
        let dropped = TypedFuture { (_: @escaping @Sendable (Result<Int, LoginError>) -> Void) in }
        guard case .failure(.broken(.brokenPromise(let site))) = await dropped.result else {
            Issue.record("\(await dropped.result)")
            return
        }
        #expect("\(String(describing: site))".contains("TypedFutureTests.swift"))
        let refused = Login { (_: @escaping @Sendable (Result<Int, LoginError>) -> Void) in throw Oops.thrown }
        #expect(await refused.end == .other)
    }

    @Test func `an asynchronous closure`() async {
        func login(_ password: String) async throws(LoginError) -> Int {
            guard password == "right" else { throw .wrongPassword }
            return 1
        }
        #expect(await Login { try await login("right") }.end == .value(1))
        #expect(await Login { try await login("wrong") }.end == .failed)
        #expect(await Login { throw Oops.thrown }.end == .other)
        let token = CancelToken()
        let stopped = Login(name: "login", cancelToken: token) {
            try await Task.sleep(for: .seconds(600))
            return 1
        }
        token.cancel()
        #expect(await stopped.end == .cancelled)
    }

    @Test func `a promise: the first completion counts`() async {
        let (first, second) = (TypedPromise<Int, LoginError>(), TypedPromise<Int, LoginError>())
        first.success(1)
        #expect(!first.tryComplete(.failure(.wrongPassword)))
        #expect(await first.future.end == .value(1))
        second.completeWith(first.future)
        #expect(await second.future.end == .value(1))
        let (third, fourth) = (TypedPromise<Int, LoginError>(), TypedPromise<Int, LoginError>())
        third.failure(.wrongPassword)
        #expect(fourth.tryComplete(.failure(.wrongPassword)))
        #expect(await third.future.end == .failed)
        #expect(await fourth.future.end == .failed)
        let fifth = TypedPromise<Int, LoginError>()
        fifth.complete(.success(5))
        #expect(fifth.promise.future.ended == .success(5))
        #expect(!fifth.trySuccess(6) && !fifth.tryFailure(.wrongPassword))
        let (sixth, seventh) = (TypedPromise<Int, LoginError>(), TypedPromise<Int, LoginError>())
        #expect(sixth.trySuccess(6) && seventh.tryFailure(.wrongPassword))
        #expect(sixth.promise.future.ended == .success(6))
        #expect(await seventh.future.end == .failed)
    }

    @Test func `with the error type Never, a wait can still be ended`() async {
        let (sure, broken) = (TypedFuture<Int, Never>(value: 1), TypedPromise<Int, Never>().future)
        #expect(await sure.value(or: 2) == 1)
        #expect(await broken.value(or: 2) == 2)
        guard case .failure(.broken) = await broken.result else {
            Issue.record("\(await broken.result)")
            return
        }
        #expect(await inCancelledTask { await TypedPromise<Int, Never>().future.value(or: 3) } == 3)
    }

    // MARK: Combinators

    @Test func `map and flatMap: values and errors are passed on, and closures can throw any error`() async {
        #expect(await right.map(context: immediate) { $0 + 1 }.end == .value(2))
        #expect(await wrong.map(context: immediate) { $0 + 1 }.end == .failed)
        #expect(await right.map(context: immediate) { _ in throw LoginError.wrongPassword }.end == .failed)
        #expect(await right.map(context: immediate) { _ -> Int in throw Oops.thrown }.end == .other)
        #expect(await right.flatMap(context: immediate) { Login(value: $0 + 1) }.end == .value(2))
        #expect(await right.flatMap(context: immediate) { _ in wrong }.end == .failed)
        #expect(await wrong.flatMap(context: immediate) { _ in right }.end == .failed)
        #expect(await right.flatMap(context: immediate) { _ -> Login in throw Oops.thrown }.end == .other)
    }

    @Test func `mapError: the type's own errors, or all errors if the type can hold them`() async {
        let renamed = wrong.mapError(context: immediate) { _ in APIError.notFound }
        #expect(await renamed.result == .failure(.notFound))
        #expect(await right.mapError(context: immediate) { _ in APIError.notFound }.result == .success(1))
        let passed = foreign.mapError(context: immediate) { _ in APIError.notFound }
        #expect(await passed.result == .failure(.other("other")))
        let log = Log<APIError>()
        let converted = foreign.future.typed(as: APIError.self)
            .mapError(context: immediate) { error -> LoginError in
                log.add(error)
                return .wrongPassword
            }
        #expect(await converted.end == .failed)
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

    @Test func `recover that throws another type, and recover with another future`() async {
        let again = wrong.recover(throwing: APIError.self, context: immediate) { _ in throw APIError.notFound }
        #expect(await again.result == .failure(.notFound))
        let foreign = wrong.recover(throwing: APIError.self, context: immediate) { _ in throw Oops.thrown }
        #expect(await foreign.result == .failure(.other("thrown")))
        let well = wrong.recover(throwing: APIError.self, context: immediate) { _ in 2 }
        #expect(await well.result == .success(2))
        let with = wrong.recoverWith(context: immediate) { _ in TypedFuture<Int, APIError>(error: .notFound) }
        #expect(await with.result == .failure(.notFound))
        #expect(await right.recoverWith(context: immediate) { _ in wrong }.end == .value(1))
        #expect(await self.foreign.recoverWith(context: immediate) { _ in right }.end == .other)
    }

    @Test func `zip: values of several types, one error type`() async throws {
        let pair: TypedFuture<(Int, String), LoginError> = right.zip(TypedFuture(value: "a"))
        let two = try await pair.value
        #expect(two == (1, "a"))
        let three = try await right.zip(TypedFuture(value: "a"), TypedFuture(value: true)).value
        #expect(three == (1, "a", true))
        let failed = right.zip(wrong)
        guard case .failure(.failed(.wrongPassword)) = await failed.result else {
            Issue.record("\(await failed.result)")
            return
        }
    }

    @Test func `many futures: sequence, traverse, fold and firstCompleted`() async {
        let promise = TypedPromise<Int, LoginError>()
        let all: TypedFuture<[Int], LoginError> = [right, promise.future].sequence()
        let first: Login = [promise.future, right].firstCompleted()
        let sum: Login = [right, promise.future].fold(context: immediate, initial: 0) { $0 + $1 }
        let traversed: TypedFuture<[Int], LoginError> = [1, 2].traverse { Login(value: $0) }
        promise.success(2)
        #expect((try? await all.value) == [1, 2])
        #expect(await first.end == .value(1))
        #expect(await sum.end == .value(3))
        #expect((try? await traversed.value) == [1, 2])
        #expect(await [right, wrong].sequence().map(context: immediate, mapping: \.count).end == .failed)
        #expect(await [1].traverse { _ -> Login in throw Oops.thrown }.map(mapping: \.count).end == .other)
        #expect(await [right].fold(context: immediate, initial: 0) { _, _ in throw Oops.thrown }.end == .other)
    }

    @Test func `timeout, delay and ensure`() async {
        let (promise, token, log) = (TypedPromise<Int, LoginError>(), CancelToken(), Log<String>())
        let late = promise.future.timeout(.seconds(1), context: time)
        let stopped = promise.future.timeout(.seconds(1), cancelling: token, context: time)
        let delayed = right.delay(.seconds(1), context: time)
        let ensured = wrong.ensure(context: immediate) { log.add("clean") }
        #expect(delayed.future.ended == .pending)
        time.advance(by: .seconds(1))
        #expect(await late.end == .timedOut)
        #expect(await stopped.end == .timedOut)
        #expect(token.isCancelled)
        #expect(await delayed.end == .value(1))
        #expect(await ensured.end == .failed)
        #expect(log.all == ["clean"])
        promise.success(1)
    }

    @Test func `retry calls the closure for errors of the type, and retries after all others`() async {
        let count = Tally()
        let third = Login.retry(5, context: immediate) {
            count.add()
            return count.count < 3 ? wrong : right
        }
        #expect(await third.end == .value(1))
        #expect(count.count == 3)
        let asked = Log<LoginError>()
        let refused = Login.retry(
            5, context: immediate,
            while: {
                asked.add($0)
                return false
            }, { wrong })
        #expect(await refused.end == .failed)
        #expect(asked.all.count == 1)
        let others = Tally()
        let foreign = Login.retry(3, context: immediate, while: { _ in false }) {
            others.add()
            return self.foreign
        }
        #expect(await foreign.end == .other)
        #expect(others.count == 3)
    }

    @Test func `materialize: the result as a value`() async throws {
        let own: TypedFuture<Result<Int, Stopped<LoginError>>, Never> = wrong.materialize()
        guard case .failed(.wrongPassword)? = try await own.value.failure else {
            Issue.record("\(try await own.value)")
            return
        }
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
        for future in derived { #expect(await future.end == .cancelled) }
    }
}

private typealias Login = TypedFuture<Int, LoginError>

/// The end of a future with typed errors, in comparable form.
private enum TypedEnd: Equatable {
    case value(Int)
    case failed, cancelled, timedOut, broken, other
}

extension TypedFuture where T == Int, Failure == LoginError {
    fileprivate var end: TypedEnd {
        get async {
            switch await result {
            case .success(let value): .value(value)
            case .failure(.failed): .failed
            case .failure(.cancelled): .cancelled
            case .failure(.timedOut): .timedOut
            case .failure(.broken): .broken
            case .failure(.other): .other
            }
        }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
