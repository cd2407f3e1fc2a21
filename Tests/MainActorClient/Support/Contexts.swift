import Dispatch
import Foundation
import SimpleFutures
@testable import TestSupport

nonisolated enum ContextKind: CaseIterable, Sendable {
    case standard, main, mainImmediate, current, dispatchMain, queueOnMain
    case global, immediate, ownQueue, ownDispatchQueue, operations

    /// The kinds that run on the main actor.
    static let ofMainActor: [ContextKind] = [.standard, .main, .mainImmediate, .current, .dispatchMain, .queueOnMain]

    /// Traps if this kind runs on the main actor and the caller does not.
    func check() { if Self.ofMainActor.contains(self) { MainActor.preconditionIsolated() } }

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
        case .ownQueue: QueueContext(queue: Queue("app.background"))
        case .ownDispatchQueue: DispatchQueue(label: "app.background")
        case .operations: OperationContext(queue: OperationQueue())
        }
    }
}

/// A context that an app writes after the example in the documentation of `ExecutionContext`.
private struct OperationContext: ExecutionContext, Hashable {
    let queue: OperationQueue

    func execute(_ task: @escaping @Sendable () -> Void) { queue.addOperation(task) }
}

/// The thread that produces a result.
nonisolated enum Origin: CaseIterable, Sendable {
    /// The main actor, while the test runs there.
    case here
    /// The main thread, used in place of a background queue.
    case hereOnBackgroundQueue
    case mainQueue
    /// A queue of the app that targets the main queue.
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

extension FutureStream {
    /// Waits for the end of the stream, and returns its replay buffer.
    func elements() async -> [Try<T>] {
        await until { isFinished || isCancelled }
        return futures.compactMap { $0.result }
    }

    func values() async -> [T] { await elements().compactMap { $0.value } }

    func texts() async -> [String] {
        await elements().map { result in result.value.map { "\($0)" } ?? "\(result.error!)" }
    }
}
