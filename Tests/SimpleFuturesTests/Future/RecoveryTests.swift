import SimpleFutures
import Testing
@testable import TestSupport

@Suite("recover, recoverWith, mapError", .watchdog)
struct RecoveryTests {
    /// The combinators whose closure runs with the error.
    enum Combinator: CaseIterable, Sendable {
        case recover, recoverWith, mapError

        func derive(
            from source: Future<Int>, on context: any ExecutionContext = immediate, under token: CancelToken = .none,
            throwing: Bool = false, _ note: @escaping @Sendable (any Error) -> Void = { _ in }
        ) -> Future<Int> {
            switch self {
            case .recover:
                source.recover(context: context, cancelToken: token) { error in
                    note(error)
                    if throwing { throw Oops.thrown }
                    return 2
                }
            case .recoverWith:
                source.recoverWith(context: context, cancelToken: token) { error in
                    note(error)
                    if throwing { throw Oops.thrown }
                    return Future(value: 2)
                }
            case .mapError:
                source.mapError(context: context, cancelToken: token) { error in
                    note(error)
                    return Oops.other
                }
            }
        }

        func expected(_ ending: Source.Ending) -> Outcome<Int> {
            switch ending {
            case .success: .success(1)
            case .failure, .breach: self == .mapError ? .failure(Oops.other) : .success(2)
            case .cancellation: .cancelled
            }
        }
    }

    @Test(arguments: Combinator.allCases, Source.Ending.allCases)
    func `the closure runs with an error alone`(combinator: Combinator, ending: Source.Ending) {
        for moment in Source.Moment.allCases {
            let log = Log<Outcome<Int>>()
            let derived = Source.ending(ending, moment) { source in
                combinator.derive(from: source) { log.add(.failure($0)) }
            }
            #expect(derived.ended == combinator.expected(ending))
            #expect(log.all == (ending == .failure ? [.failure(Oops.source)] : ending == .breach ? [.broken] : []))
        }
    }

    @Test(arguments: [Combinator.recover, .recoverWith], Source.Ending.allCases)
    func `what the closure throws fails the new future`(combinator: Combinator, ending: Source.Ending) {
        let derived = Source.ending(ending, .after) { combinator.derive(from: $0, throwing: true) }
        switch ending {
        case .success: #expect(derived.ended == .success(1))
        case .failure, .breach: #expect(derived.ended == .failure(Oops.thrown))
        case .cancellation: #expect(derived.ended == .cancelled)
        }
    }

    @Test(arguments: Combinator.allCases, Source.Ending.allCases)
    func `the closure runs on its context, and all else needs none`(combinator: Combinator, ending: Source.Ending) {
        let context = ManualContext()
        let derived = Source.ending(ending, .after) { combinator.derive(from: $0, on: context) }
        let runs = ending == .failure || ending == .breach
        #expect(derived.ended == (runs ? .pending : combinator.expected(ending)))
        context.run()
        #expect(derived.ended == combinator.expected(ending))
    }

    @Test(arguments: Combinator.allCases)
    func `under a token the new future is cancelled and the closure released`(combinator: Combinator) {
        let token = CancelToken()
        let source = Future<Int>()
        var derived: Future<Int>?
        let watch = Watch { probe in
            derived = combinator.derive(from: source, under: token) { _ in probe.use() }
        }
        token.cancel()
        #expect(derived?.isCancelled == true)
        #expect(watch.isReleased)
        source.failure(Oops.source)
        #expect(derived?.ended == .cancelled)
    }

    @Test(arguments: Combinator.allCases)
    func `a source that is released while it is pending is recovered from`(combinator: Combinator) {
        let log = Log<Outcome<Int>>()
        var source: Future<Int>? = Future()
        let derived = combinator.derive(from: source ?? Future()) { log.add(.failure($0)) }
        source = nil
        #expect(log.all == [.broken])
        #expect(derived.ended == combinator.expected(.breach))
    }

    @Test(arguments: Combinator.allCases, Source.Ending.allCases)
    func `the closure is released when the source has ended`(combinator: Combinator, ending: Source.Ending) {
        let source = Source()
        var derived: Future<Int>?
        let watch = Watch { probe in derived = combinator.derive(from: source.future) { _ in probe.use() } }
        source.end(ending)
        #expect(watch.isReleased)
        #expect(derived?.ended == combinator.expected(ending))
    }
}
