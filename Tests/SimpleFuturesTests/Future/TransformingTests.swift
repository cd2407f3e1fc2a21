import SimpleFutures
import Testing
@testable import TestSupport

@Suite("map, flatMap, withFilter, filter, andThen", .watchdog)
struct TransformingTests {
    /// The combinators whose closure runs with the value, each with a closure that returns or throws.
    enum Combinator: CaseIterable, Sendable {
        case map, flatMap, flatMapPending, withFilter, filter, andThen

        func derive(
            from source: Future<Int>, on context: any ExecutionContext = immediate, under token: CancelToken = .none,
            throwing: Bool = false, _ note: @escaping @Sendable () -> Void = {}
        ) -> Future<Int> {
            let check: @Sendable () throws -> Void = {
                note()
                if throwing { throw Oops.thrown }
            }
            return switch self {
            case .map:
                source.map(context: context, cancelToken: token) { value in
                    try check()
                    return value
                }
            case .flatMap:
                source.flatMap(context: context, cancelToken: token) { value in
                    try check()
                    return Future(value: value)
                }
            case .flatMapPending:
                source.flatMap(context: context, cancelToken: token) { value in
                    try check()
                    let promise = Promise<Int>()
                    context.execute { promise.success(value) }
                    return promise.future
                }
            case .withFilter:
                source.withFilter(context: context, cancelToken: token) { _ in
                    try check()
                    return true
                }
            case .filter:
                source.filter(context: context, cancelToken: token) { _ in
                    try check()
                    return true
                }
            case .andThen: source.andThen(context: context, cancelToken: token) { _ in note() }
            }
        }
    }

    @Test(arguments: Combinator.allCases, Source.Ending.allCases)
    func `the new future ends as the source, and the closure runs with a value alone`(
        combinator: Combinator, ending: Source.Ending
    ) {
        for moment in Source.Moment.allCases {
            let log = Log<Void>()
            let derived = Source.ending(ending, moment) { combinator.derive(from: $0) { log.add(()) } }
            #expect(derived.ended == ending.passedOn(success: .success(1)))
            #expect(log.count == (ending == .success ? 1 : 0))
        }
    }

    @Test(arguments: Combinator.allCases, Source.Ending.allCases)
    func `what the closure throws fails the new future`(combinator: Combinator, ending: Source.Ending) {
        guard combinator != .andThen else { return }
        for moment in Source.Moment.allCases {
            let derived = Source.ending(ending, moment) { combinator.derive(from: $0, throwing: true) }
            #expect(derived.ended == ending.passedOn(success: .failure(Oops.thrown)))
        }
    }

    @Test(arguments: Combinator.allCases, Source.Ending.allCases)
    func `the closure runs on its context, and all else needs none`(combinator: Combinator, ending: Source.Ending) {
        let context = ManualContext()
        let derived = Source.ending(ending, .after) { combinator.derive(from: $0, on: context) }
        if ending == .success {
            #expect(derived.ended == .pending)
        } else {
            #expect(derived.ended == ending.passedOn(success: .success(1)))
        }
        context.run()
        #expect(derived.ended == ending.passedOn(success: .success(1)))
    }

    @Test(arguments: Combinator.allCases)
    func `under a token the new future is cancelled and the closure released`(combinator: Combinator) {
        let token = CancelToken()
        let source = Future<Int>()
        let context = ManualContext()
        var derived: [Future<Int>] = []
        let waiting = Watch { probe in
            derived.append(combinator.derive(from: source, under: token) { probe.use() })
        }
        let handedOver = Watch { probe in
            derived.append(combinator.derive(from: Future(value: 1), on: context, under: token) { probe.use() })
        }
        token.cancel()
        #expect(derived.map { $0.isCancelled } == [true, true])
        #expect(waiting.isReleased)
        #expect(handedOver.isReleased)
        #expect(source.observerCount == 0)
        #expect(source.ended == .pending)
    }

    @Test(arguments: Combinator.allCases, Source.Ending.allCases)
    func `the closure is released when the source has ended`(combinator: Combinator, ending: Source.Ending) {
        let source = Source()
        var derived: Future<Int>?
        let watch = Watch { probe in derived = combinator.derive(from: source.future) { probe.use() } }
        #expect(!watch.isReleased)
        source.end(ending)
        #expect(watch.isReleased)
        #expect(derived?.ended == ending.passedOn(success: .success(1)))
    }

    @Test func `map may change the type`() {
        #expect(Future(value: 3).map(context: immediate) { "\($0)" }.ended == .success("3"))
        #expect(Future(value: 3).map(context: immediate) { _ in Int?.none }.ended == .success(nil))
        #expect(Future(value: ()).map(context: immediate) { 3 }.ended == .success(3))
    }

    @Test func `a filter that refuses fails with noSuchElement`() {
        let source = Future(value: 3)
        #expect(source.withFilter(context: immediate) { $0 > 3 }.ended == .failure(FuturesError.noSuchElement))
        #expect(source.filter(context: immediate) { $0 > 3 }.ended == .failure(FuturesError.noSuchElement))
        #expect(source.filter(context: immediate) { $0 > 2 }.ended == .success(3))
    }

    @Test func `andThen has run before the new future is completed`() {
        let log = Log<Int>()
        Future(value: 1)
            .andThen(context: immediate) { log.add($0) }
            .onSuccess(context: immediate) { log.add($0 + 1) }
        #expect(log.all == [1, 2])
    }

    @Test func `one source may have many derivatives`() {
        let source = Future<Int>()
        let derived = (0..<10).map { number in source.map(context: immediate) { $0 + number } }
        source.success(1)
        #expect(derived.map { $0.ended } == (1...10).map { .success($0) })
    }
}
