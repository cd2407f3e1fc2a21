import Dispatch
import Foundation
import SimpleFutures
import SimpleFuturesInterop

/// A context of every kind that there is.
nonisolated enum ContextKind: CaseIterable, Sendable {
    case standard, main, mainImmediate, current, dispatchMain, queueOnMain
    case global, immediate, manual, ownQueue, ownDispatchQueue, operations

    /// Those that lead to the main actor.
    static let ofMainActor: [ContextKind] = [.standard, .main, .mainImmediate, .current, .dispatchMain, .queueOnMain]

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
private struct OperationContext: ExecutionContext, Hashable {
    let queue: OperationQueue

    func execute(_ task: @escaping @Sendable () -> Void) { queue.addOperation(task) }
}

/// Where a result comes from.
nonisolated enum Origin: CaseIterable, Sendable {
    /// The main actor, while the test runs there.
    case here
    /// The main thread, while it stands in for a background queue.
    case hereOnBackgroundQueue
    case mainQueue
    /// A queue of the app's own that runs on the main queue.
    case queueOnMainQueue
    case backgroundQueue
    case detachedTask

    func call(_ body: @escaping @Sendable () -> Void) {
        switch self {
        case .here: body()
        case .hereOnBackgroundQueue: DispatchQueue(label: "app.origin").sync(execute: body)
        case .mainQueue: DispatchQueue.main.async(execute: body)
        case .queueOnMainQueue: DispatchQueue(label: "app.origin", target: .main).async(execute: body)
        case .backgroundQueue: DispatchQueue.global().async(execute: body)
        case .detachedTask: Task.detached { body() }
        }
    }
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

extension FutureStream {
    /// The elements that the stream keeps when it has ended; tasks of a context that runs them by hand are run here.
    func elements(on context: any ExecutionContext = ImmediateContext()) async -> [Try<T>] {
        while !isFinished, !isCancelled {
            (context as? ManualContext)?.run()
            await Task.yield()
        }
        return futures.compactMap { $0.result }
    }

    /// The values among them.
    func values(on context: any ExecutionContext = ImmediateContext()) async -> [T] {
        await elements(on: context).compactMap { $0.value }
    }

    /// What is in them, as text.
    func texts(on context: any ExecutionContext = ImmediateContext()) async -> [String] {
        await elements(on: context).map { result in
            switch result {
            case .success(let value): "\(value)"
            case .failure(let error): "\(error)"
            }
        }
    }
}
