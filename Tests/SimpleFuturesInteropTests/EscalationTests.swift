import SimpleFutures
import SimpleFuturesInterop
import Testing

@Suite("The priority of those who wait", .timeLimit(.minutes(10)))
struct EscalationTests {
    @Test(arguments: Worker.allCases, [false, true])
    func `raises the task behind a future`(_ worker: Worker, _ isLate: Bool) async {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
        let (begun, isHigh) = (Promise<Void>(), Tally())
        let future = worker.make { [begun] in
            begun.trySuccess()
            // The task has nothing else to do than to see that it is raised.
            await until { Task.currentPriority >= .high || Task.isCancelled }
            if Task.currentPriority >= .high { isHigh.add() }
        }
        _ = await begun.future.outcome
        let before = future.observerCount
        let waiter = Task(priority: isLate ? .low : .high) { await future.outcome.value }
        if isLate {
            await until { future.observerCount == before + 1 }
            waiter.escalatePriority(to: .high)
        }
        #expect(await Task.detached(priority: isLate ? .low : .high) { await waiter.value }.value != nil)
        #expect(isHigh.count == 1)
    }

    /// The futures that know the task behind them.
    enum Worker: String, CaseIterable, Sendable {
        case future, promise, taskFuture, map, recover, forEach

        func make(_ body: @escaping @Sendable () async -> Void) -> Future<Void> {
            switch self {
            case .future: return Future(priority: .low) { await body() }
            case .promise:
                let promise = Promise<Void>()
                promise.completeWith(priority: .low) { await body() }
                return promise.future
            case .taskFuture:
                let task = Task(priority: .low) { await body() }
                return task.future
            case .map: return Future(value: 1).asyncMap(priority: .low) { _ in await body() }
            case .recover: return Future<Void>(error: Failure()).asyncRecover(priority: .low) { _ in await body() }
            case .forEach: return Future(value: 1).asyncForEach(priority: .low) { _ in await body() }
            }
        }
    }
}
