import Dispatch
import Foundation
import SimpleFutures
import SimpleFuturesInterop

/// A context of every kind that there is.
nonisolated enum Place: CaseIterable, Sendable {
    case standard, main, mainImmediate, current, dispatchMain, queueOnMain
    case global, immediate, manual, ownQueue, ownDispatchQueue, operations

    /// Those that lead to the main actor.
    static let ofMainActor: [Place] = [.standard, .main, .mainImmediate, .current, .dispatchMain, .queueOnMain]

    func makeContext() -> any ExecutionContext {
        switch self {
        case .standard: QueueContext.futuresDefault
        case .main: QueueContext.main
        case .mainImmediate: QueueContext.mainImmediate
        case .current: QueueContext.current
        case .dispatchMain: DispatchQueue.main
        case .queueOnMain: DispatchQueue(label: "app.main", target: .main)
        case .global: QueueContext.global
        case .immediate: ImmediateContext()
        case .manual: ManualContext()
        case .ownQueue: QueueContext(queue: Queue("app.background"))
        case .ownDispatchQueue: DispatchQueue(label: "app.background")
        case .operations: OperationContext(queue: OperationQueue())
        }
    }
}

/// A context as an app writes it, after the documentation of `ExecutionContext`.
struct OperationContext: ExecutionContext {
    let queue: OperationQueue

    func execute(_ task: @escaping @Sendable () -> Void) { queue.addOperation(task) }
}

extension Future {
    /// How the future ends; if its context runs tasks by hand, they are run here, on the main actor.
    func end(on context: any ExecutionContext) async -> Try<T> {
        while let manual = context as? ManualContext, !completed, !isCancelled {
            manual.run()
            await Task.yield()
        }
        return await outcome
    }
}

/// Returns when the main queue has done everything that was sent to it before.
func mainQueueIsDone() async {
    await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
}
