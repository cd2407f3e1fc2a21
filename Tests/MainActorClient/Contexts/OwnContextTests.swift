import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Contexts of a main-actor module's own", .watchdog)
struct OwnContextTests {
    private let promise = Promise<Int>()

    @Test(arguments: Origin.allCases)
    func `a context that leads to the main actor`(origin: Origin) async throws {
        let model = Counter()
        let counted = promise.future.map(context: MainContext()) { number in
            MainActor.assumeIsolated { model.add(number) }
        }
        origin.call { [promise] in promise.success(2) }
        #expect(try await counted.value == 2)
    }

    @Test(arguments: Origin.allCases)
    func `an actor that is a context`(origin: Origin) async throws {
        let worker = Worker()
        let counted = promise.future.map(context: worker) { number in
            worker.assumeIsolated { $0.add(number) }
        }
        origin.call { [promise] in promise.success(2) }
        #expect(try await counted.value == 2)
    }

    @Test(arguments: Origin.allCases)
    func `a class that is one and has state`(origin: Origin) async throws {
        let context = SerialContext()
        let doubled = promise.future.map(context: context) { $0 * 2 }.delay(.milliseconds(1), context: context)
        origin.call { [promise] in promise.success(2) }
        #expect(try await doubled.value == 4)
    }

    @Test(arguments: Origin.allCases)
    func `one that is nobody's type but a constant of the app`(origin: Origin) async throws {
        let doubled = promise.future
            .map(context: QueueContext.parsing) { $0 * 2 }
            .map(context: DispatchQueue.disk) { $0 }
        origin.call { [promise] in promise.success(2) }
        #expect(try await doubled.value == 4)
    }

    @Test func `timers of the default kind reach it`() async {
        let late = promise.future.timeout(.milliseconds(1), context: MainContext())
        #expect(await late.outcome.error as? FuturesError == .timedOut)
    }
}

/// Sends tasks to the main actor.
struct MainContext: ExecutionContext {
    func execute(_ task: @escaping @Sendable () -> Void) {
        Task { @MainActor in task() }
    }
}

private actor Worker: ExecutionContext {
    private var sum = 0

    func add(_ number: Int) -> Int {
        sum += number
        return sum
    }

    nonisolated func execute(_ task: @escaping @Sendable () -> Void) {
        Task { await self.run(task) }
    }

    private func run(_ task: @Sendable () -> Void) { task() }
}

private final class SerialContext: ExecutionContext {
    private let queue = DispatchQueue(label: "app.serial")

    func execute(_ task: @escaping @Sendable () -> Void) { queue.async(execute: task) }

    func execute(after delay: Duration, _ task: @escaping @Sendable () -> Void) -> Registration {
        let timer = queue.execute(after: delay, task)
        return Registration { timer.cancel() }
    }
}

extension QueueContext {
    fileprivate static let parsing = QueueContext(queue: Queue("app.parsing"))
}

extension DispatchQueue {
    fileprivate static let disk = DispatchQueue(label: "app.disk")
}

private final class Counter {
    private var sum = 0

    func add(_ number: Int) -> Int {
        sum += number
        return sum
    }
}
