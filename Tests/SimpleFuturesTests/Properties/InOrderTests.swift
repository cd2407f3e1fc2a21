import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promise 4: callbacks of a future in the order of their registration", .watchdog)
struct InOrderTests {
    @Test(arguments: Place.allCases, Registrar.allCases)
    func `callbacks run in the order of their registration, before and after completion`(
        _ place: Place, _ registrar: Registrar
    ) {
        let spot = place.make()
        for count in [1, 2, 100] {
            let arena = Arena()
            for index in 0..<count { arena.register(index, with: registrar, on: spot.context) }
            arena.promise.success(1)
            for index in count..<200 { arena.register(index, with: registrar, on: spot.context) }
            spot.settle()
            #expect(arena.log.all == Array(0..<200))
        }
    }

    @Test(arguments: Place.allCases, Registrar.allCases)
    func `a callback that is registered while another thread completes does not overtake earlier ones`(
        _ place: Place, _ registrar: Registrar
    ) {
        let spot = place.make()
        race(rounds: Stress.rounds(200)) {
            let arena = Arena()
            for index in 0..<4 { arena.register(index, with: registrar, on: spot.context) }
            return arena
        } _: { arena in
            for index in 4..<12 { arena.register(index, with: registrar, on: spot.context) }
        } _: { arena in
            arena.promise.success(1)
        } check: { arena in
            spot.settle()
            spot.settle()
            try verify(arena.log.all == Array(0..<12), "in order, not \(arena.log.all)")
        }
    }

    @Test(arguments: Registrar.allCases)
    func `a callback registered by another thread while the only one runs is called after it returns`(
        _ registrar: Registrar
    ) {
        let arena = Arena()
        arena.promise.future.onSuccess(context: ImmediateContext()) { _ in
            let isRegistered = Signal()
            DispatchQueue.global().async {
                for index in 2...3 { arena.register(index, with: registrar, on: ImmediateContext()) }
                isRegistered.open()
            }
            #expect(isRegistered.pass())
            arena.log.add(1)
        }
        arena.promise.success(1)
        arena.register(4, with: registrar, on: ImmediateContext())
        #expect(arena.log.all == [1, 2, 3, 4])
    }

    @Test(arguments: Place.allCases)
    func `a callback registered inside a callback runs after earlier ones`(_ place: Place) {
        let spot = place.make()
        let arena = Arena()
        arena.promise.future.onSuccess(context: spot.context) { _ in
            arena.log.add(0)
            arena.register(3, with: .plainly, on: spot.context)
            arena.log.add(1)
        }
        arena.register(2, with: .plainly, on: spot.context)
        arena.promise.success(1)
        spot.settle()
        spot.settle()
        #expect(arena.log.all == [0, 1, 2, 3])
    }

    @Test func `callbacks of all kinds keep their order among each other`() {
        let context = ManualContext()
        let log = Log<String>()
        let promise = Promise<Int>()
        let future = promise.future
        future.onComplete(context: context) { _ in log.add("onComplete") }
        _ = future.map(context: context) { _ in log.add("map") }
        future.onSuccess(context: context, cancelToken: CancelToken()) { _ in log.add("onSuccess") }
        _ = future.flatMap(context: context) { value in
            log.add("flatMap")
            return Future(value: value)
        }
        promise.success(1)
        future.forEach(context: context) { _ in log.add("forEach") }
        context.run()
        #expect(log.all == ["onComplete", "map", "onSuccess", "flatMap", "forEach"])
    }

    @Test func `mainImmediate does not overtake what is already dispatched to main, unless that is canceled`() {
        let (log, done) = (Log<Int>(), Signal())
        DispatchQueue.main.async {
            let token = CancelToken()
            let cancelled = Future(value: 1)
            cancelled.onSuccess(context: QueueContext.main, cancelToken: token) { _ in log.add(9) }
            token.cancel()
            cancelled.onSuccess(context: QueueContext.mainImmediate) { _ in log.add(0) }
            log.add(1)
            let future = Future(value: 1)
            future.onSuccess(context: QueueContext.mainImmediate) { _ in log.add(2) }
            log.add(3)
            future.onSuccess(context: QueueContext.main) { _ in log.add(5) }
            future.onSuccess(context: QueueContext.mainImmediate) { _ in log.add(6) }
            future.onSuccess(context: DispatchQueue.main) { _ in
                log.add(7)
                done.open()
            }
            log.add(4)
        }
        #expect(done.pass())
        #expect(log.all == Array(0...7))
    }

    @Test func `inside a callback on main, a canceled mainImmediate callback does not hold up one for main`() {
        let (log, done) = (Log<Int>(), Signal())
        DispatchQueue.main.async {
            let (future, token) = (Future(value: 1), CancelToken())
            future.onSuccess(context: QueueContext.mainImmediate) { _ in
                future.onSuccess(context: QueueContext.mainImmediate, cancelToken: token) { _ in log.add(9) }
                token.cancel()
                future.onSuccess(context: QueueContext.main) { _ in log.add(0) }
                DispatchQueue.main.async {
                    log.add(1)
                    done.open()
                }
            }
        }
        #expect(done.pass())
        #expect(log.all == [0, 1])
    }

    @Test func `inside a callback on main, mainImmediate does not overtake main`() async {
        let (future, log) = (Future<Int>(), Log<Int>())
        future.onSuccess(context: QueueContext.mainImmediate) { _ in
            for (number, context) in [QueueContext.mainImmediate, .main, .mainImmediate].enumerated() {
                future.onSuccess(context: context) { _ in log.add(number) }
            }
        }
        await MainActor.run { future.success(1) }
        await until { log.count == 3 }
        #expect(log.all == [0, 1, 2])
    }

    @Test func `a bounded traversal maps in order, even if its futures end on several threads at a time`() {
        let queue = DispatchQueue(label: "traverse")
        race {
            let arena = Traversal()
            arena.start(on: queue)
            return arena
        } _: { arena in
            for index in stride(from: 0, to: Traversal.width, by: 2) { arena.promises[index].success(index) }
        } _: { arena in
            for index in stride(from: 1, to: Traversal.width, by: 2) { arena.promises[index].success(index) }
        } check: { arena in
            try verify(arena.isOver.pass(), "all are mapped")
            // The closure of the traversal retains the promises whose futures it awaits.
            for promise in arena.promises { promise.trySuccess(0) }
            try verify(arena.log.all == Array(arena.promises.indices), "in order, not \(arena.log.all)")
        }
    }
}

/// The way in which a callback is registered: each takes another path through the library.
enum Registrar: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case plainly
    case underAToken = "under a token"
    case alternating

    var testDescription: String { rawValue }

    fileprivate func choose(_ index: Int, _ token: CancelToken) -> CancelToken {
        switch self {
        case .plainly: .none
        case .underAToken: token
        case .alternating: index.isMultiple(of: 2) ? .none : token
        }
    }
}

/// A future whose callbacks add their number to the log.
private struct Arena: Sendable {
    let promise = Promise<Int>()
    let token = CancelToken()
    let log = Log<Int>()

    func register(_ index: Int, with registrar: Registrar, on context: any ExecutionContext) {
        let token = registrar.choose(index, token)
        promise.future.onSuccess(context: context, cancelToken: token) { [log] _ in log.add(index) }
    }
}

private struct Traversal: Sendable {
    static let width = 16

    let promises = (0..<2 * width).map { _ in Promise<Int>() }
    let log = Log<Int>()
    let isOver = Signal()

    func start(on queue: DispatchQueue) {
        _ = promises.indices.traverse(maxConcurrent: Self.width, context: queue) { [promises, log, isOver] index in
            log.add(index)
            if index == promises.indices.last { isOver.open() }
            return promises[index].future
        }
    }
}
