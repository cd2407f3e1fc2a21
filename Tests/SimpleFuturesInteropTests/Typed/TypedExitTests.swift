import Foundation
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Typed errors: each exit of a future, for each end", .watchdog)
struct TypedExitTests {
    @Test(arguments: End.allCases, [true, false])
    func `an await`(_ end: End, _ isEarly: Bool) async {
        for exit in Exit.allCases {
            let source = TypedSource(end)
            if isEarly { source.end() }
            let answer = Task {
                if end == .cancelledTask, isEarly { withUnsafeCurrentTask { $0?.cancel() } }
                return await exit.answer(source.future)
            }
            if !isEarly {
                await until { source.future.observerCount > 0 }
                if end == .cancelledTask { answer.cancel() } else { source.end() }
            }
            #expect(await answer.value == (exit.isConvertible ? end.convertible : end.stopped), "\(exit)")
        }
    }

    @Test(arguments: End.allCases.filter { $0 != .cancelledTask }, [true, false])
    func `a callback`(_ end: End, _ isEarly: Bool) {
        let (source, log) = (TypedSource(end), Log<String>())
        if isEarly { source.end() }
        source.future.onResult(throwing: APIError.self, context: immediate) { log.add(word($0)) }
        source.future.typed(as: APIError.self).onResult(context: immediate) { log.add(word($0)) }
            .onFailure(context: immediate) { log.add(word($0)) }
            .onSuccess(context: immediate) { log.add("\($0)") }
            .onCancel(context: immediate) { log.add("on cancel") }
        source.future.onResult(throwing: Stopped<LoginError>.self, context: immediate) { log.add(word($0)) }
        source.future.typed(as: LoginError.self).onResult(context: immediate) { log.add(word($0)) }
            .onFailure(context: immediate) { log.add(word($0)) }
            .onSuccess(context: immediate) { log.add("\($0)") }
        if !isEarly { source.end() }
        // Callbacks do not run after a cancellation.
        let ended = Array(repeating: end.convertible, count: 3) + Array(repeating: end.stopped, count: 3)
        #expect(log.all == (end == .cancelledToken ? ["on cancel"] : ended))
    }

    @Test @MainActor func `callbacks on the caller's actor, typed or not, in one chain`() async {
        // Isolated, so that it can be called only on the actor.
        var words: [String] = []
        func add(_ word: String) { words.append(word) }
        let (own, other) = ("failed wrongPassword", "other wrongPassword")
        let failed = TypedFuture<Int, LoginError>(error: .wrongPassword)
        failed.onResult(isolated: { add(word($0)) }).onFailure(isolated: { add(word($0)) })
        let end = failed.ensure(isolated: { add("ensure") })
            .map(isolated: { number in
                add("map")
                return number
            })
        #expect(word(await end.result) == own)
        #expect(words.contains("ensure"))
        words.removeAll { $0 == "ensure" }
        let found = Future(value: 1)
        found.onResult(throwing: APIError.self, isolated: { add(word($0)) })
            .onSuccess(isolated: { add(word($0)) }).onFailure(isolated: { add("\($0)") })
            .onComplete(isolated: { _ in add("end") })
        found.typed(as: APIError.self).onSuccess(isolated: { add(word($0)) })
            .onResult(isolated: { add(word($0)) }).onFailure(isolated: { add(word($0)) })
        await until { words.count == 7 }
        #expect(words.sorted() == ["1", "1", "1", "1", "end", own, own])
        words = []
        let prices = StreamPromise<Int>()
        prices.stream.onResult(throwing: APIError.self, isolated: { add(word($0)) })
            .onSuccess(isolated: { add(word($0)) }).onFailure(isolated: { add("\($0)") })
        prices.stream.typed(as: APIError.self).onSuccess(isolated: { add(word($0)) })
            .onFailure(isolated: { add(word($0)) }).onResult(isolated: { add(word($0)) })
        prices.stream.typed(as: LoginError.self).onFailure(isolated: { add(word($0)) })
            .onResult(isolated: { add(word($0)) })
        prices.failure(LoginError.wrongPassword)
        prices.success(1)
        await until { words.count == 11 }
        #expect(words.sorted() == ["1", "1", "1", "1", "1", own, own, other, other, other, "wrongPassword"])
    }

    @Test func `any error has the type, except one that ends a wait, and a reason is never inside another`() async {
        typealias Reason = Stopped<any Error>
        #expect(word(Reason(other: LoginError.wrongPassword)) == "failed wrongPassword")
        #expect(word(Reason(other: CancellationError())) == "cancelled")
        #expect(word(Reason(other: FuturesError.timedOut)) == "timed out")
        #expect(word(Stopped<FuturesError>(other: FuturesError.noSuchElement)).hasPrefix("failed"))
        #expect(word(Stopped<CancellationError>(other: CancellationError())) == "failed CancellationError()")
        // On Apple's systems every error can be cast to it.
        for error: any Error in [CancellationError(), FuturesError.timedOut] {
            #expect(word(Stopped<NSError>(other: error)) == (error is CancellationError ? "cancelled" : "timed out"))
        }
        let reason = Stopped<LoginError>.cancelled
        #expect(word(Stopped<LoginError>(other: reason)) == "cancelled")
        let future = Future<Int>(error: reason).typed(as: Stopped<LoginError>.self)
        let result: Result<Int, Stopped<LoginError>> = await future.result
        #expect(word(result) == "cancelled")
    }

    @Test func `an asynchronous closure after a future`() async {
        let found = TypedFuture<Int, LoginError>(value: 1)
        let failed = TypedFuture<Int, LoginError>(error: .wrongPassword)
        #expect(word(await found.asyncMap { $0 + 1 }.result) == "2")
        #expect(word(await found.asyncMap { _ async throws -> Int in throw Oops.thrown }.result) == "other thrown")
        #expect(word(await failed.asyncMap { $0 + 1 }.result) == "failed wrongPassword")
    }

    @Test func `what stops a wait skips the closures of a future of any error`() async {
        for error: any Error in [CancellationError(), FuturesError.timedOut, Oops.source] {
            let mapped = Future<Int>(error: error).typed(as: (any Error).self)
                .mapError(context: immediate) { _ in LoginError.wrongPassword }
            let expected =
                error is CancellationError ? "cancelled" : error is FuturesError ? "timed out" : "failed wrongPassword"
            #expect(word(await mapped.result) == expected)
        }
    }

    @Test func `a broken promise names its creation site, and a timeout the call`() async throws {
        let (made, broken) = (#line, TypedPromise<Int, LoginError>().future)
        guard case .failure(.broken(.brokenPromise(let site))) = await broken.result else {
            Issue.record("\(await broken.result)")
            return
        }
        #expect("\(try #require(site))".contains("TypedExitTests.swift:\(made)"))
        let (time, promise) = (ManualContext(), Promise<Int>())
        let called = #line + 1
        let late = promise.future.typed(as: LoginError.self).timeout(.seconds(2), context: time)
        time.advance(by: .seconds(2))
        guard case .failure(let stopped) = await late.result else {
            Issue.record("it has a value")
            return
        }
        #expect("\(stopped)".contains("TypedExitTests.swift:\(called)") && "\(stopped)".contains("within 2.0 seconds"))
    }
}

/// The ways to await a future with typed errors.
private enum Exit: CaseIterable {
    case convertible, convertibleResult, viewOfConvertible, viewOfConvertibleWithToken
    case viewOfConvertibleResult, materializedConvertible
    case stopped, stoppedResult, view, viewWithToken, viewResult, materialized

    var isConvertible: Bool { Self.allCases.firstIndex(of: self)! < 6 }

    // Each is a function with a typed throw, without a catch for other errors.
    func answer(_ future: Future<Int>) async -> String {
        let token = CancelToken()
        do throws(APIError) {
            switch self {
            case .convertible: return word(try await future.value(throwing: APIError.self))
            case .convertibleResult: return word(try await future.result(throwing: APIError.self).get())
            case .viewOfConvertible: return word(try await future.typed(as: APIError.self).value)
            case .viewOfConvertibleWithToken:
                return word(
                    try await future.typed(as: APIError.self).value(cancelling: token, onCancel: .abandon))
            case .viewOfConvertibleResult: return word(try await future.typed(as: APIError.self).result.get())
            case .materializedConvertible:
                let result = await future.typed(as: APIError.self).materialize().result
                guard case .success(let own) = result else { return "cancelled" }
                return word(try own.get())
            default: break
            }
        } catch {
            return word(error)
        }
        do throws(Stopped<LoginError>) {
            switch self {
            case .stopped: return word(try await future.value(throwing: Stopped<LoginError>.self))
            case .stoppedResult: return word(try await future.result(throwing: Stopped<LoginError>.self).get())
            case .view: return word(try await future.typed(as: LoginError.self).value)
            case .viewWithToken:
                return word(
                    try await future.typed(as: LoginError.self).value(cancelling: token, onCancel: .abandon))
            case .viewResult: return word(try await future.typed(as: LoginError.self).result.get())
            case .materialized:
                let result = await future.typed(as: LoginError.self).materialize().result
                guard case .success(let own) = result else { return "cancelled" }
                return word(try own.get())
            default: return "nothing"
            }
        } catch {
            return word(error)
        }
    }
}

/// An error type that can hold other errors.
enum APIError: FailureConvertible, Equatable {
    case notFound
    case cancelled
    case other(String)

    init(other error: any Error) { self = error is CancellationError ? .cancelled : .other("\(error)") }
}

/// An error type that cannot.
enum LoginError: Error { case wrongPassword }

/// How a future with typed errors ends.
enum End: CaseIterable, Sendable {
    case success, ownFailure, foreignFailure, cancelledToken, cancelledTask, broken, timedOut

    /// The result of an exit that throws `APIError`.
    var convertible: String {
        switch self {
        case .success: "1"
        case .ownFailure: "other wrongPassword"
        case .foreignFailure: "notFound"
        case .cancelledToken, .cancelledTask: "cancelled"
        case .broken: "other broken"
        case .timedOut: "other timed out"
        }
    }

    /// The result of an exit that throws `Stopped<LoginError>`.
    var stopped: String {
        switch self {
        case .success: "1"
        case .ownFailure: "failed wrongPassword"
        case .foreignFailure: "other notFound"
        case .cancelledToken, .cancelledTask: "cancelled"
        case .broken: "broken"
        case .timedOut: "timed out"
        }
    }
}

/// A future, and a stream with one element, that a test ends in a given way.
final class TypedSource: Sendable {
    let future: Future<Int>
    let stream: FutureStream<Int>
    private let ending: End
    private let producers: Box<(one: Promise<Int>, many: StreamPromise<Int>)?>
    private let (token, time) = (CancelToken(), ManualContext())

    init(_ end: End) {
        let (promise, streamPromise) = (Promise<Int>(), StreamPromise<Int>(capacity: 0))
        ending = end
        producers = Box((promise, streamPromise))
        future = promise.future.map(context: immediate, cancelToken: token) { $0 }.timeout(.seconds(1), context: time)
        stream = streamPromise.stream.map(context: immediate, cancelToken: token) { $0 }
            .timeout(.seconds(1), context: time)
    }

    func end() {
        switch ending {
        case .success: complete(.success(1))
        case .ownFailure: complete(.failure(LoginError.wrongPassword))
        case .foreignFailure: complete(.failure(APIError.notFound))
        case .cancelledToken: token.cancel()
        case .cancelledTask: break
        case .broken: producers.value = nil
        case .timedOut: time.advance(by: .seconds(1))
        }
    }

    private func complete(_ result: Try<Int>) {
        producers.value?.one.complete(result)
        producers.value?.many.complete(result)
    }
}

// The results of exits, as text.

func word(_ value: Int) -> String { "\(value)" }

func word(_ error: APIError) -> String {
    switch error {
    case .notFound: "notFound"
    case .cancelled: "cancelled"
    case .other(let text) where text.hasPrefix("Broken promise"): "other broken"
    case .other(let text) where text.hasPrefix("Timed out"): "other timed out"
    case .other(let text): "other \(text)"
    }
}

// A switch over all reasons needs no default.
func word<Failure>(_ error: Stopped<Failure>) -> String {
    switch error {
    case .failed(let error): "failed \(error)"
    case .cancelled: "cancelled"
    case .timedOut: "timed out"
    case .broken: "broken"
    case .other(let error): "other \(error)"
    }
}

func word(_ result: Result<Int, APIError>) -> String {
    do { return "\(try result.get())" } catch { return word(error) }
}

func word<Failure>(_ result: Result<Int, Stopped<Failure>>) -> String {
    do { return "\(try result.get())" } catch { return word(error) }
}
