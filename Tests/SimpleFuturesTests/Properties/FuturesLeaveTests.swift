import SimpleFutures
import Testing
@testable import TestSupport

/// Promise 8: what is derived without a closure of the user's leaves its source.
@Suite("A future without a closure leaves its source when nobody waits for it and nobody holds it", .watchdog)
struct FuturesLeaveTests {
    /// A way to derive such a future.
    enum Link: CaseIterable, Sendable {
        case timeout, delay, asVoid

        func derive(from source: Future<Int>, cancelToken: CancelToken = .none) -> Future<String> {
            let clock = ManualContext()
            let derived: AnyFuture =
                switch self {
                case .timeout: source.timeout(.seconds(1), context: clock, cancelToken: cancelToken)
                case .delay: source.delay(.zero, context: immediate, cancelToken: cancelToken)
                case .asVoid: source.asVoid()
                }
            return Self.outcome(of: derived)
        }

        /// Its end in words; nothing but this holds the derived future.
        private static func outcome(of derived: AnyFuture) -> Future<String> {
            switch derived {
            case let future as Future<Int>: future.map(context: immediate) { "\($0)" }
            case let future as Future<Void>: future.map(context: immediate) { "done" }
            default: fatalError("a type that is derived here")
            }
        }

        func drop(from source: Future<Int>) {
            switch self {
            case .timeout: _ = source.timeout(.seconds(1), context: ManualContext())
            case .delay: _ = source.delay(.seconds(1), context: ManualContext())
            case .asVoid: _ = source.asVoid()
            }
        }
    }

    @Test(arguments: Link.allCases)
    func `dropped at once it has left`(link: Link) {
        let source = Future<Int>()
        for _ in 0..<100 { link.drop(from: source) }
        #expect(source.observerCount == 0)
    }

    @Test(arguments: Link.allCases)
    func `a closure behind it keeps it`(link: Link) async {
        let source = Future<Int>()
        let derived = link.derive(from: source)
        #expect(source.observerCount == 1)
        source.success(7)
        #expect(await derived.end() == .success(link == .asVoid ? "done" : "7"))
    }

    @Test(arguments: Link.allCases)
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
