import CSimpleFutures
import Dispatch
import Foundation
import SimpleFutures

/// Tells when descriptors are ready, with one thread for all of them.
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

    /// What the thread waits with.
    private struct Tools: Sendable {
        /// The system's list of descriptors.
        let list: Descriptor
        /// Has the thread look at the waiters anew; its number in the list is 0.
        let alarm: DescriptorPipe
    }

    private struct State {
        /// They keep their descriptors open as long as the system looks at them.
        var waiters: [UInt64: Waiter] = [:]
        var lastNumber: UInt64 = 0
        /// The descriptors in the system's list.
        var listed: Set<Int32> = []
        /// The numbers of those of which the system cannot tell: they are looked at every 20 milliseconds.
        var unlisted: Set<UInt64> = []
        /// Nil as long as there is no thread.
        var tools: Tools?

        /// Whether it has found a place in the list.
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
        let tools = try tools()
        let waiter = Waiter(descriptor: descriptor, readiness: readiness, queue: queue, body: body)
        let (number, isListed) = state.withLock { $0.add(waiter, tools) }
        if !isListed { tools.alarm.ring() }
        // Returned out of the lock: it releases what the body has captured.
        return Registration { [self] in state.withLock { $0.remove(number) } != nil }
    }

    /// Starts the thread; when this has succeeded once, nothing can fail any more.
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

    /// Waits once, and runs the closures of the descriptors that are ready.
    private func wait(_ tools: Tools) {
        let unlisted = state.withLock { state in
            state.unlisted.compactMap { number in state.waiters[number].map { (number, $0) } }
        }
        var numbers = [UInt64](repeating: 0, count: 64)
        let count = sf_ready_wait(tools.list.number, &numbers, Int32(numbers.count), unlisted.isEmpty ? -1 : 20)
        // Without memory: this may change.
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
