import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Time in a main-actor module", .watchdog)
struct TimeTests {
    private let promise = Promise<Int>()

    @Test(arguments: Place.allCases, Origin.allCases)
    func `delay and after, on every context`(place: Place, origin: Origin) async throws {
        guard place != .manual else { return }
        let context = place.makeContext()
        let late = promise.future.delay(.milliseconds(1), context: context)
        let reminder = Future.after(.milliseconds(1), "now", context: context)
        origin.call { [promise] in promise.success(1) }
        #expect(try await late.value == 1)
        #expect(try await reminder.value == "now")
    }

    @Test(arguments: Place.allCases)
    func `timeout, on every context`(place: Place) async {
        guard place != .manual else { return }
        let late = promise.future.timeout(.milliseconds(1), context: place.makeContext())
        #expect(await late.outcome.error as? FuturesError == .timedOut)
    }

    @Test func `by hand, without time passing`() {
        let context = ManualContext()
        let answers = [
            promise.future.timeout(.seconds(30), context: context),
            .after(.seconds(20), 7, context: context).delay(.seconds(5), context: context),
        ]
        context.advance(by: .seconds(25))
        #expect(answers.map { $0.result?.value } == [nil, 7])
        context.advance(by: .seconds(5))
        #expect(answers[0].result?.error as? FuturesError == .timedOut)
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `retry, on every context`(place: Place, origin: Origin) async throws {
        let context = place.makeContext()
        let server = Server(origin: origin)
        let answer = Future.retry(3, context: context, while: { $0 is AppError }) { server.ask() }
        #expect(try await answer.end(on: context).get() == 3)
    }

    @Test(arguments: Place.ofMainActor, Origin.allCases)
    func `on a context of the main actor an attempt may use a model`(place: Place, origin: Origin) async throws {
        let context = place.makeContext()
        let model = RetryingModel(server: Server(origin: origin))
        #expect(try await model.ask(on: context).value == 3)
        #expect(model.attempts == 3)
        #expect(model.errors == 2)
    }
}

/// Answers the third time.
private actor Server {
    private let origin: Origin
    private var count = 0

    init(origin: Origin) { self.origin = origin }

    nonisolated func ask() -> Future<Int> {
        let promise = Promise<Int>()
        Task { await answer(promise) }
        return promise.future
    }

    private func answer(_ promise: Promise<Int>) {
        count += 1
        origin.call { [count] in if count < 3 { promise.failure(AppError.offline) } else { promise.success(count) } }
    }
}

private final class RetryingModel {
    private let server: Server
    private(set) var attempts = 0
    private(set) var errors = 0

    init(server: Server) { self.server = server }

    func ask(on context: any ExecutionContext) -> Future<Int> {
        Future.retry(
            5, delay: .milliseconds(1), context: context,
            while: { _ in
                MainActor.assumeIsolated {
                    self.errors += 1
                    return true
                }
            },
            {
                MainActor.assumeIsolated {
                    self.attempts += 1
                    return self.server.ask()
                }
            })
    }
}
