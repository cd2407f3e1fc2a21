import CSimpleFutures
import Dispatch
import Foundation
import SimpleFutures

/// Reports when descriptors are ready, with one thread for all of them.
///
/// It does not use Dispatch sources: on Linux (Swift 6.3.1) these report a pipe without writers only once, even if it
/// has bytes left, do not report some devices and directories, and end the program after some thousand pipes.
final class Poller: Sendable {
    static let shared = Poller()

    /// The operation to wait for.
    enum Readiness: Sendable {
        case reading
        case writing

        var events: Int16 { Int16(self == .reading ? POLLIN : POLLOUT) }
    }

    /// A caller that waits for a descriptor.
    private struct Waiter: Sendable {
        let descriptor: Descriptor
        let readiness: Readiness
        let queue: DispatchQueue
        let body: @Sendable () -> Void
    }

    /// The descriptors that the thread waits with.
    private struct Tools: Sendable {
        /// The system's list of descriptors, from epoll or kqueue.
        let list: Descriptor
        /// Wakes the thread to check its waiters again.
        ///
        /// Its number in the list is 0.
        let alarm: DescriptorPipe
    }

    private struct State {
        /// The waiters.
        ///
        /// They keep their descriptors open while the system watches them.
        var waiters: [UInt64: Waiter] = [:]
        var lastNumber: UInt64 = 0
        /// The descriptors in the system's list.
        var listed: Set<Int32> = []
        /// The numbers of waiters that the system cannot watch.
        ///
        /// They are polled every 20 milliseconds.
        var unlisted: Set<UInt64> = []
        /// Nil while there is no thread.
        var tools: Tools?

        /// Adds a waiter.
        ///
        /// `isListed` says whether the system watches it.
        mutating func add(_ waiter: Waiter, _ tools: Tools) -> (number: UInt64, isListed: Bool) {
            lastNumber += 1
            waiters[lastNumber] = waiter
            let descriptor = waiter.descriptor.number
            let isListed =
                !listed.contains(descriptor)
                && sf_ready_add(tools.list.number, descriptor, waiter.readiness == .writing, true, lastNumber) == 0
            if isListed { listed.insert(descriptor) } else { unlisted.insert(lastNumber) }
            return (lastNumber, isListed)
        }

        mutating func remove(_ number: UInt64) -> Waiter? {
            guard let waiter = waiters.removeValue(forKey: number) else { return nil }
            if unlisted.remove(number) == nil, let tools {
                listed.remove(waiter.descriptor.number)
                sf_ready_remove(tools.list.number, waiter.descriptor.number, waiter.readiness == .writing)
            }
            return waiter
        }
    }

    private let state = Lock(State())

    /// Runs a closure once when a descriptor is ready, or can never be.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor. It is held until then.
    ///   - readiness: The operation to wait for.
    ///   - queue: Runs the closure.
    ///   - body: The closure.
    /// - Returns: A registration that removes the closure.
    /// - Throws: A `POSIXError` if the system has no descriptors left.
    func whenReady(
        _ descriptor: Descriptor, for readiness: Readiness, on queue: DispatchQueue,
        _ body: @escaping @Sendable () -> Void
    ) throws -> Registration {
        let tools = try tools()
        let waiter = Waiter(descriptor: descriptor, readiness: readiness, queue: queue, body: body)
        let (number, isListed) = state.withLock { $0.add(waiter, tools) }
        if !isListed { tools.alarm.ring() }
        // Returned out of the lock, because it releases the closure's captures.
        return Registration { [self] in state.withLock { $0.remove(number) } != nil }
    }

    /// Starts the thread.
    ///
    /// Once this has succeeded, later calls cannot fail.
    func prepare() throws { _ = try tools() }

    private func tools() throws -> Tools {
        let (tools, isFirst) = try state.withLock { state in
            if let tools = state.tools { return (tools, false) }
            let tools = try Tools(list: Descriptor(owning: Self.open()), alarm: DescriptorPipe())
            tools.alarm.reading.makeNonBlocking()
            tools.alarm.writing.makeNonBlocking()
            guard sf_ready_add(tools.list.number, tools.alarm.reading.number, false, false, 0) == 0 else {
                throw POSIXError.last
            }
            state.tools = tools
            return (tools, true)
        }
        if isFirst { start(tools) }
        return tools
    }

    private static func open() throws -> Int32 {
        let list = sf_ready_open()
        guard list >= 0 else { throw POSIXError.last }
        return list
    }

    private func start(_ tools: Tools) {
        let thread = Thread { while true { withAutoreleasePool { self.wait(tools) } } }
        thread.name = "SimpleFuturesFoundation.Poller"
        thread.start()
    }

    /// Waits once, and runs the closures of all descriptors that are ready.
    private func wait(_ tools: Tools) {
        let unlisted = state.withLock { state in
            state.unlisted.compactMap { number in state.waiters[number].map { (number, $0) } }
        }
        var numbers = [UInt64](repeating: 0, count: 64)
        let count = sf_ready_wait(tools.list.number, &numbers, Int32(numbers.count), unlisted.isEmpty ? -1 : 20)
        // Out of memory, possibly only for the moment.
        if count < 0, errno != EINTR { usleep(10_000) }
        for number in numbers.prefix(Int(max(count, 0))) {
            if number == 0 { tools.alarm.silence() } else { run(number) }
        }
        for (number, waiter) in unlisted where waiter.descriptor.isReady(for: waiter.readiness) { run(number) }
    }

    private func run(_ number: UInt64) {
        guard let waiter = state.withLock({ $0.remove(number) }) else { return }
        waiter.queue.async(execute: waiter.body)
    }
}

extension DescriptorPipe {
    fileprivate func ring() {
        // A full pipe has already woken the reader.
        var byte: UInt8 = 0
        _ = write(writing.number, &byte, 1)
    }

    fileprivate func silence() {
        while case .bytes = reading.read(upTo: 256) {}
    }
}

extension Descriptor {
    /// Whether a read, or a write of some bytes, would return at once.
    func isReady(for readiness: Poller.Readiness) -> Bool {
        guard sf_ready_is_reported(number) else { return isReadyBySelect(for: readiness) }
        var polled = [pollfd(fd: number, events: readiness.events, revents: 0)]
        guard pollDescriptors(&polled, 0) > 0 else { return false }
        return polled[0].isUnpollable ? isReadyBySelect(for: readiness) : true
    }

    /// Like `isReady`, with `select`.
    ///
    /// On Apple's systems `poll` does not support devices: it reports `/dev/tty` as invalid, and a read would block its
    /// thread for an unlimited time. `select` supports devices, and reports the end of a pipe with a name.
    func isReadyBySelect(for readiness: Poller.Readiness) -> Bool {
        var set = fd_set()
        let isInSet = withUnsafeMutableBytes(of: &set) { bytes in
            // Bit by bit in the order of the numbers, which fits all little-endian systems.
            guard bytes.indices.contains(Int(number) / 8) else { return false }
            bytes[Int(number) / 8] |= 1 << UInt8(number % 8)
            return true
        }
        // A set has no room for this descriptor, so the read has to block.
        guard isInSet else { return true }
        var now = timeval()
        return switch readiness {
        case .reading: select(number + 1, &set, nil, nil, &now) != 0
        case .writing: select(number + 1, nil, &set, nil, &now) != 0
        }
    }
}

extension pollfd {
    /// Whether `poll` does not support the descriptor.
    ///
    /// It is not closed, because it is held.
    fileprivate var isUnpollable: Bool { revents & Int16(POLLNVAL) != 0 }
}

/// Calls `poll`.
private func pollDescriptors(_ descriptors: inout [pollfd], _ timeout: Int32) -> Int32 {
    #if SIMPLEFUTURES_APPLE
    // Simulates Apple's systems, which this configuration tests: `poll` does not support devices.
    let devices = descriptors.indices.filter { isatty(descriptors[$0].fd) == 1 }
    let count = poll(&descriptors, nfds_t(descriptors.count), devices.isEmpty ? timeout : 0)
    for index in devices where count >= 0 { descriptors[index].revents = Int16(POLLNVAL) }
    return count < 0 ? count : Int32(descriptors.count { $0.revents != 0 })
    #else
    return poll(&descriptors, nfds_t(descriptors.count), timeout)
    #endif
}
