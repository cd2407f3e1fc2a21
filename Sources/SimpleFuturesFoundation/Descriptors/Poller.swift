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
        var unpollable: Set<UInt64> = []
        while true { withAutoreleasePool { wait(alarm, &unpollable) } }
    }

    /// Waits once, and runs the closures of the descriptors that are ready.
    ///
    /// - Parameter unpollable: Those for which `poll` is no use: they are looked at every 20 milliseconds.
    private func wait(_ alarm: DescriptorPipe, _ unpollable: inout Set<UInt64>) {
        // They keep their descriptors open as long as the system looks at them.
        let waiters = state.withLock { $0.waiters }
        unpollable.formIntersection(waiters.keys)
        let pollable = waiters.filter { !unpollable.contains($0.key) }
        var polled = [pollfd(fd: alarm.reading.number, events: Int16(POLLIN), revents: 0)]
        for (_, waiter) in pollable {
            polled.append(pollfd(fd: waiter.descriptor.number, events: waiter.readiness.events, revents: 0))
        }
        guard pollDescriptors(&polled, unpollable.isEmpty ? -1 : 20) >= 0 else {
            // Without memory, or with more descriptors than are allowed by now: this may change.
            if errno != EINTR { usleep(10_000) }
            return
        }
        if polled[0].revents != 0 { alarm.silence() }
        for (index, (number, _)) in pollable.enumerated() where polled[index + 1].revents != 0 {
            if polled[index + 1].isUnpollable { unpollable.insert(number) } else { run(number) }
        }
        for number in unpollable {
            if let waiter = waiters[number], waiter.descriptor.isReadyBySelect(for: waiter.readiness) { run(number) }
        }
    }

    private func run(_ number: UInt64) {
        guard let waiter = state.withLock({ $0.waiters.removeValue(forKey: number) }) else { return }
        waiter.queue.async(execute: waiter.body)
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
    func isReady(for readiness: Poller.Readiness) -> Bool {
        var polled = [pollfd(fd: number, events: readiness.events, revents: 0)]
        guard pollDescriptors(&polled, 0) > 0 else { return false }
        return polled[0].isUnpollable ? isReadyBySelect(for: readiness) : true
    }

    /// The same, asked by `select`.
    ///
    /// On Apple's systems `poll` knows no devices: it answers at once that `/dev/tty` is invalid, and a read of it would
    /// block its thread, which nothing could end. `select` knows them.
    func isReadyBySelect(for readiness: Poller.Readiness) -> Bool {
        var set = fd_set()
        let isInSet = withUnsafeMutableBytes(of: &set) { bytes in
            // Bit by bit in the order of the numbers, on every system that counts its bytes from the lowest.
            guard bytes.indices.contains(Int(number) / 8) else { return false }
            bytes[Int(number) / 8] |= 1 << UInt8(number % 8)
            return true
        }
        // With more descriptors than a set has room for, to block is what is left.
        guard isInSet else { return true }
        var now = timeval()
        return switch readiness {
        case .reading: select(number + 1, &set, nil, nil, &now) != 0
        case .writing: select(number + 1, nil, &set, nil, &now) != 0
        }
    }
}

extension pollfd {
    /// Whether `poll` does not know what the descriptor is open for; it is held, so it is not closed.
    fileprivate var isUnpollable: Bool { revents & Int16(POLLNVAL) != 0 }
}

/// `poll`.
private func pollDescriptors(_ descriptors: inout [pollfd], _ timeout: Int32) -> Int32 {
    #if SIMPLEFUTURES_APPLE
    // As on Apple's systems, for which this configuration of the tests stands: no devices.
    let devices = descriptors.indices.filter { isatty(descriptors[$0].fd) == 1 }
    let count = poll(&descriptors, nfds_t(descriptors.count), devices.isEmpty ? timeout : 0)
    for index in devices where count >= 0 { descriptors[index].revents = Int16(POLLNVAL) }
    return count < 0 ? count : Int32(descriptors.count { $0.revents != 0 })
    #else
    return poll(&descriptors, nfds_t(descriptors.count), timeout)
    #endif
}
