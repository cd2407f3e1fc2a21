import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promise 4: callbacks reach a serial context in the order of their registration", .watchdog)
struct InOrderTests {
    @Test(arguments: Place.allCases, Registrar.allCases)
    func `callbacks run in the order of their registration, before and after completion`(
        _ place: Place, _ registrar: Registrar
    ) {
        let spot = place.make()
        let log = Log<Int>()
        let promise = Promise<Int>()
        let token = CancelToken()
        for index in 0..<100 {
            registrar.register(index, on: promise.future, spot.context, token) { log.add(index) }
        }
        promise.success(1)
        for index in 100..<200 {
            registrar.register(index, on: promise.future, spot.context, token) { log.add(index) }
        }
        spot.settle()
        #expect(log.all == Array(0..<200))
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

    @Test func `what is registered while the last callback is on its way to its context does not overtake it`() {
        let context = GatedContext()
        let promise = Promise<Int>()
        let log = Log<Int>()
        promise.future.onSuccess(context: context) { _ in log.add(1) }
        let done = Signal()
        DispatchQueue.global().async {
            promise.success(1)
            done.open()
        }
        #expect(context.entered.pass())
        promise.future.onSuccess(context: context) { _ in log.add(2) }
        context.leave.open()
        #expect(done.pass())
        context.run()
        #expect(log.all == [1, 2])
    }

    @Test(arguments: Registrar.allCases)
    func `what another thread registers while the only callback runs comes when that has returned`(
        _ registrar: Registrar
    ) {
        let promise = Promise<Int>()
        let (future, token, log) = (promise.future, CancelToken(), Log<Int>())
        future.onSuccess(context: ImmediateContext()) { _ in
            let isRegistered = Signal()
            DispatchQueue.global().async {
                for index in 2...3 {
                    registrar.register(index, on: future, ImmediateContext(), token) { log.add(index) }
                }
                isRegistered.open()
            }
            #expect(isRegistered.pass())
            log.add(1)
        }
        promise.success(1)
        registrar.register(4, on: future, ImmediateContext(), token) { log.add(4) }
        #expect(log.all == [1, 2, 3, 4])
    }

    @Test(arguments: Place.allCases, Registrar.allCases)
    func `what is registered when the only callback has run is called without further ado`(
        _ place: Place, _ registrar: Registrar
    ) {
        let spot = place.make()
        let (promise, token, log) = (Promise<Int>(), CancelToken(), Log<Int>())
        promise.future.onSuccess(context: ImmediateContext()) { _ in log.add(0) }
        promise.success(1)
        for index in 1...4 {
            registrar.register(index, on: promise.future, spot.context, token) { log.add(index) }
        }
        spot.settle()
        #expect(log.all == [0, 1, 2, 3, 4])
    }

    @Test(arguments: Place.allCases)
    func `a callback that is registered inside a callback comes after those that were there`(_ place: Place) {
        let spot = place.make()
        let log = Log<Int>()
        let promise = Promise<Int>()
        let future = promise.future
        future.onSuccess(context: spot.context) { _ in
            log.add(0)
            future.onSuccess(context: spot.context) { _ in log.add(3) }
            log.add(1)
        }
        future.onSuccess(context: spot.context) { _ in log.add(2) }
        promise.success(1)
        spot.settle()
        spot.settle()
        #expect(log.all == [0, 1, 2, 3])
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

    @Test func `mainImmediate does not overtake what is on its way to the main queue`() {
        let log = Log<Int>()
        let done = Signal()
        DispatchQueue.main.async {
            let future = Future(value: 1)
            future.onSuccess(context: QueueContext.mainImmediate) { _ in log.add(0) }
            log.add(1)
            future.onSuccess(context: QueueContext.main) { _ in log.add(3) }
            future.onSuccess(context: QueueContext.mainImmediate) { _ in log.add(4) }
            future.onSuccess(context: DispatchQueue.main) { _ in
                log.add(5)
                done.open()
            }
            log.add(2)
        }
        #expect(done.pass())
        #expect(log.all == [0, 1, 2, 3, 4, 5])
    }

    @Test func `mainImmediate does not wait for a hop to main that was cancelled`() {
        let done = Signal()
        let log = Log<Int>()
        DispatchQueue.main.async {
            let future = Future(value: 1)
            let token = CancelToken()
            future.onSuccess(context: QueueContext.main, cancelToken: token) { _ in log.add(9) }
            token.cancel()
            future.onSuccess(context: QueueContext.mainImmediate) { _ in log.add(0) }
            log.add(1)
            DispatchQueue.main.async { done.open() }
        }
        #expect(done.pass())
        #expect(log.all == [0, 1])
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
            // The closure of the traversal holds the promises that it waits for.
            for promise in arena.promises { promise.trySuccess(0) }
            try verify(arena.log.all == Array(arena.promises.indices), "in order, not \(arena.log.all)")
        }
    }
}

/// How a callback is registered: each way takes another path through the library.
enum Registrar: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case plainly
    case underAToken = "under a token"
    case alternating

    var testDescription: String { rawValue }

    fileprivate func register(
        _ index: Int, on future: Future<Int>, _ context: any ExecutionContext, _ token: CancelToken,
        _ body: @escaping @Sendable () -> Void
    ) {
        let token =
            switch self {
            case .plainly: CancelToken.none
            case .underAToken: token
            case .alternating: index.isMultiple(of: 2) ? CancelToken.none : token
            }
        future.onSuccess(context: context, cancelToken: token) { _ in body() }
    }
}

/// A serial context that takes its time to enqueue the first task.
private final class GatedContext: ExecutionContext {
    let entered = Signal()
    let leave = Signal()
    private let isFirst = Box(true)
    private let queue = ManualContext()

    func execute(_ task: @escaping @Sendable () -> Void) {
        if isFirst.change({ wasFirst in
            defer { wasFirst = false }
            return wasFirst
        }) {
            entered.open()
            _ = leave.pass()
        }
        queue.execute(task)
    }

    func run() { queue.run() }
}

private struct Arena: Sendable {
    let promise = Promise<Int>()
    let token = CancelToken()
    let log = Log<Int>()

    func register(_ index: Int, with registrar: Registrar, on context: any ExecutionContext) {
        registrar.register(index, on: promise.future, context, token) { [log] in log.add(index) }
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
