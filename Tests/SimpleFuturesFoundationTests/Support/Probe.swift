import Foundation
import SimpleFutures
@testable import TestSupport

struct Failure: Error, Equatable {}

/// Opened once; whoever comes before waits.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func open() { semaphore.signal() }

    func pass() {
        semaphore.wait()
        semaphore.signal()
    }
}

/// Something that is captured, to see whether what has captured it is released.
final class Probe: Sendable {
    func touch() {}
}
