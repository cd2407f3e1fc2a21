import SimpleFutures
import Testing
@testable import TestSupport

/// Promise 8: a future derived without a user's closure unsubscribes from its source.
@Suite("A future without a closure unsubscribes from its source when it has no waiter and no reference", .watchdog)
struct FuturesLeaveTests {
    /// A way to derive such a future.
    enum Link: CaseIterable, Sendable {
        case timeout, delay, asVoid, zip, sequence, settled, firstCompleted, firstSucceeded

        /// Whether a failure of the source fails what is derived.
        var passesFailuresOn: Bool { self != .settled && self != .firstSucceeded }

        /// Returns the value in words: a closure, registered under `closureToken`, behind the derived future, which
        /// nothing else holds.
        func derive(
            from source: Future<Int>, cancelToken: CancelToken = .none, closureToken: CancelToken = .none
        ) -> Future<String> {
            let clock = ManualContext()
            func text<T: Sendable>(_ derived: Future<T>) -> Future<String> {
                derived.map(context: immediate, cancelToken: closureToken) { "\($0)" }
            }
            return switch self {
            case .timeout: text(source.timeout(.seconds(1), context: clock, cancelToken: cancelToken))
            case .delay: text(source.delay(.zero, context: immediate, cancelToken: cancelToken))
            case .asVoid: text(source.asVoid())
            case .zip: text(source.zip(Future(value: 0)))
            case .sequence: text([source, Future(value: 0)].sequence())
            case .settled: text([source, Future(value: 0)].settled())
            case .firstCompleted: text([source].firstCompleted())
            case .firstSucceeded: text([source, Future(error: Oops.other)].firstSucceeded())
            }
        }

        /// The result of a combinator whose input has 7.
        var text: String {
            switch self {
            case .timeout, .delay, .firstCompleted, .firstSucceeded: "7"
            case .asVoid: "()"
            case .zip: "(7, 0)"
            case .sequence: "[7, 0]"
            case .settled: "\([Try<Int>.success(7), .success(0)])"
            }
        }

        func drop(from source: Future<Int>) {
            switch self {
            case .timeout: _ = source.timeout(.seconds(1), context: ManualContext())
            case .delay: _ = source.delay(.seconds(1), context: ManualContext())
            case .asVoid: _ = source.asVoid()
            case .zip: _ = source.zip(Future<Int>())
            case .sequence: _ = [source, Future()].sequence()
            case .settled: _ = [source, Future()].settled()
            case .firstCompleted: _ = [source].firstCompleted()
            case .firstSucceeded: _ = [source, Future()].firstSucceeded()
            }
        }
    }

    @Test(arguments: Link.allCases)
    func `dropped at once it is unsubscribed`(link: Link) {
        let source = Future<Int>()
        for _ in 0..<100 { link.drop(from: source) }
        #expect(source.observerCount == 0)
    }

    @Test(arguments: Link.allCases)
    func `a dependent with a closure keeps it subscribed`(link: Link) async {
        let source = Future<Int>()
        let derived = link.derive(from: source)
        #expect(source.observerCount == 1)
        source.success(7)
        #expect(await derived.end() == .success(link.text))
    }

    @Test(arguments: Link.allCases)
    func `when its last closure leaves it has left`(link: Link) {
        let (source, token) = (Future<Int>(), CancelToken())
        let derived = link.derive(from: source, closureToken: token)
        #expect(source.observerCount == 1)
        token.cancel()
        #expect(derived.isCancelled && source.observerCount == 0)
    }

    @Test(arguments: Link.allCases.filter(\.passesFailuresOn))
    func `a failure, a cancellation and a source that is released are passed on`(link: Link) async {
        let failing = Future<Int>()
        let failed = link.derive(from: failing)
        failing.failure(Oops.source)
        #expect(await failed.end() == .failure(Oops.source))
        let token = CancelToken()
        let cancelled = link.derive(from: Promise<Int>().future.map(context: immediate, cancelToken: token) { $0 })
        token.cancel()
        #expect(await cancelled.end() != .pending)
        var source: Future<Int>? = Future()
        let broken = source.map { link.derive(from: $0) }
        source = nil
        #expect(await broken?.end() == .broken)
    }

    @Test(arguments: [Link.timeout, .delay])
    func `its token detaches it`(link: Link) {
        let (source, token) = (Future<Int>(), CancelToken())
        let derived = link.derive(from: source, cancelToken: token)
        token.cancel()
        #expect(derived.isCancelled && source.observerCount == 0)
    }
}
