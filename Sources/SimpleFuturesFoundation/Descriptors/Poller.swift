import Dispatch
import Foundation
import SimpleFutures

/// Tells when descriptors are ready, with one thread for all of them that waits in `poll`.
///
/// Not Dispatch's sources: on Linux (Swift 6.3.1) these tell once of a pipe whose writers have gone, whatever is left
/// in it, tell nothing of some devices and directories, and after some thousand pipes they end the program.
final class Poller: Sendable {
    static let shared = Poller()

    /// What is waited for.
    enum Readiness: Sendable {
        case reading
        case writing

        var events: Int16 { Int16(self == .reading ? POLLIN : POLLOUT) }
    }

    /// One who waits.
    private struct Waiter: Sendable {
        let descriptor: Descriptor
        let readiness: Readiness
        let queue: DispatchQueue
        let body: @Sendable () -> Void
    }

    private struct State {
        var waiters: [UInt64: Waiter] = [:]
        var lastNumber: UInt64 = 0
        /// Has the thread look at the waiters anew; nil as long as there is no thread.
        var alarm: DescriptorPipe?
    }

    private let state = Lock(State())

    /// Runs a closure, once, when a descriptor is ready, or will never be.
    ///
    /// - Parameters:
    ///   - descriptor: It is kept until then.
    ///   - readiness: For what.
    ///   - queue: Where the closure runs.
    ///   - body: The closure.
    /// - Returns: Forgets it.
    /// - Throws: A `POSIXError` if the system has no descriptors left.
    func whenReady(
        _ descriptor: Descriptor, for readiness: Readiness, on queue: DispatchQueue,
        _ body: @escaping @Sendable () -> Void
    ) throws -> Registration {
        let alarm = try prepare()
        let waiter = Waiter(descriptor: descriptor, readiness: readiness, queue: queue, body: body)
        let number = state.withLock { state in
            state.lastNumber += 1
            state.waiters[state.lastNumber] = waiter
            return state.lastNumber
        }
        alarm.ring()
        return Registration { [self] in
            // Returned out of the lock: it releases what the body has captured.
            let removed = state.withLock { $0.waiters.removeValue(forKey: number) }
            if removed != nil { alarm.ring() }
            return removed != nil
        }
    }

    /// Starts the thread; when this has succeeded once, nothing can fail any more.
    @discardableResult
    func prepare() throws -> DescriptorPipe {
        let (alarm, isFirst) = try state.withLock { state in
            if let alarm = state.alarm { return (alarm, false) }
            let alarm = try DescriptorPipe()
            state.alarm = alarm
            return (alarm, true)
        }
        if isFirst { start(alarm) }
        return alarm
    }

    private func start(_ alarm: DescriptorPipe) {
        alarm.reading.makeNonBlocking()
        alarm.writing.makeNonBlocking()
        let thread = Thread { self.run(alarm) }
        thread.name = "SimpleFuturesFoundation.Poller"
        thread.start()
    }

    private func run(_ alarm: DescriptorPipe) {
        while true {
            // They keep their descriptors open as long as the system looks at them.
            let waiters = state.withLock { Array($0.waiters) }
            var polled = [pollfd(fd: alarm.reading.number, events: Int16(POLLIN), revents: 0)]
            for (_, waiter) in waiters {
                polled.append(
                    pollfd(fd: waiter.descriptor.number, events: waiter.readiness.events, revents: 0))
            }
            guard poll(&polled, nfds_t(polled.count), -1) > 0 else {
                // Without memory, or with more descriptors than are allowed by now: this may change.
                if errno != EINTR { usleep(10_000) }
                continue
            }
            if polled[0].revents != 0 { alarm.silence() }
            for (index, (number, waiter)) in waiters.enumerated() where polled[index + 1].revents != 0 {
                guard state.withLock({ $0.waiters.removeValue(forKey: number) }) != nil else { continue }
                waiter.queue.async(execute: waiter.body)
            }
        }
    }
}

extension DescriptorPipe {
    fileprivate func ring() {
        // A pipe that is full rings already.
        var byte: UInt8 = 0
        _ = write(writing.number, &byte, 1)
    }

    fileprivate func silence() {
        while case .bytes = reading.read(upTo: 256) {}
    }
}

extension Descriptor {
    /// Whether a read, or a write of some bytes, returns at once.
    ///
    /// On Apple's systems `poll` does not know some devices, `/dev/tty` among them, and calls these ready.
    func isReady(for readiness: Poller.Readiness) -> Bool {
        var polled = pollfd(fd: number, events: readiness.events, revents: 0)
        return poll(&polled, 1, 0) > 0
    }
}
