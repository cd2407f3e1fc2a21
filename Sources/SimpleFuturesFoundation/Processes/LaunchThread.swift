#if os(macOS) || os(Linux)
import Dispatch
import Foundation
import SimpleFutures

/// The thread that starts all children, one after the other.
///
/// One at a time, because a child must not inherit another child's pipe ends that are not yet closed. Always the same
/// thread, because on Linux Foundation gives each thread that starts a process a run loop with three descriptors, which
/// lives as long as the thread.
final class LaunchThread: Sendable {
    static let shared = LaunchThread()

    private let tasks = Lock<[@Sendable () -> Void]>([])
    private let count = DispatchSemaphore(value: 0)

    private init() {
        let thread = Thread { [unowned self] in
            while true {
                count.wait()
                withAutoreleasePool { tasks.withLock { $0.removeFirst() }() }
            }
        }
        thread.name = "SimpleFuturesFoundation.LaunchThread"
        thread.start()
    }

    func run(_ task: @escaping @Sendable () -> Void) {
        tasks.withLock { $0.append(task) }
        count.signal()
    }
}
#endif
