import Dispatch

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
