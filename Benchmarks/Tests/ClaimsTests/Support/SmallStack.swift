import Dispatch
import Foundation

/// Runs a body on a thread with a stack of 512 KiB, the size for Dispatch threads on Apple's systems, and waits for it.
func onSmallStack(_ body: @escaping @Sendable () -> Void) {
    let end = DispatchSemaphore(value: 0)
    let thread = Thread {
        body()
        end.signal()
    }
    thread.stackSize = 512 * 1024
    thread.start()
    end.wait()
}
