import CSimpleFutures
import Dispatch
import Foundation
import SimpleFutures

/// Passes signals from the signal handler, in which few functions may be called, to listeners.
///
/// It does not use Dispatch sources: on Linux these keep a signal for good, and receive none any more after its handler
/// was reset.
final class SignalHub: Sendable {
    static let shared = SignalHub()

    /// A listener with its own serial queue: it gets one signal after the other, and does not delay other listeners.
    final class Listener: Sendable {
        fileprivate let signals: Set<Int32>
        private let queue = DispatchQueue(
            label: "SimpleFuturesFoundation.SignalHub.Listener", autoreleaseFrequency: .workItem)
        private let body: @Sendable (Int32) -> Void

        fileprivate init(_ signals: Set<Int32>, _ body: @escaping @Sendable (Int32) -> Void) {
            self.signals = signals
            self.body = body
        }

        fileprivate func pass(_ signal: Int32) { queue.async { self.body(signal) } }
    }

    private struct State {
        var listeners: [Listener] = []
        /// The former handlers of signals, restored when they have no listeners.
        var effects: [Int32: sigaction] = [:]
        /// Reads the bytes that the handler writes.
        var loop: ReadLoop?
    }

    private let state = Lock(State())

    /// Whether the system allows a process to catch the signal.
    static func canCatch(_ signal: Int32) -> Bool {
        var current = sigaction()
        return signal != SIGKILL && signal != SIGSTOP && sigaction(signal, nil, &current) == 0
    }

    /// Starts to catch signals.
    func listen(to signals: Set<Int32>, _ body: @escaping @Sendable (Int32) -> Void) throws -> Listener {
        let listener = Listener(signals, body)
        try state.withLock { state in
            if state.loop == nil { state.loop = try openPipe() }
            for signal in signals where state.effects[signal] == nil {
                state.effects[signal] = sigaction()
                sigaction(signal, nil, &state.effects[signal, default: sigaction()])
                catchSignal(signal)
            }
            state.listeners.append(listener)
        }
        return listener
    }

    /// Removes a listener, and restores the former handlers of signals without listeners.
    func stop(_ listener: Listener) {
        state.withLock { state in
            state.listeners.removeAll { $0 === listener }
            for signal in listener.signals where !state.listeners.contains(where: { $0.signals.contains(signal) }) {
                guard var effect = state.effects.removeValue(forKey: signal) else { continue }
                sigaction(signal, &effect, nil)
            }
        }
    }

    private func catchSignal(_ number: Int32) {
        signal(number) { number in
            // A handler may do little more than write, and must preserve errno.
            let saved = errno
            var byte = UInt8(truncatingIfNeeded: number)
            if write(signalPipe, &byte, 1) < 0 {
                // The pipe is full: the signal is recorded once, and delivered after those in the pipe. A byte that is
                // no signal wakes the reader, in case it has emptied the pipe in the meantime.
                sf_publish(pendingSignals + Int(byte), 1)
                byte = 0
                _ = write(signalPipe, &byte, 1)
            }
            errno = saved
        }
    }

    private func openPipe() throws -> ReadLoop {
        let pipe = try DescriptorPipe()
        pipe.writing.makeNonBlocking()
        signalPipe = pipe.writing.release()
        // Created here, because a handler must not do it.
        _ = pendingSignals
        let queue = DispatchQueue(label: "SimpleFuturesFoundation.SignalHub")
        let loop = ReadLoop(pipe.reading, chunkSize: 256, on: queue) { [unowned self] event in
            if case .bytes(let signals) = event { pass(signals) }
            return nil
        }
        loop.start()
        return loop
    }

    private func pass(_ signals: Data) {
        for signal in signals where signal > 0 { pass(Int32(signal)) }
        for signal in 1..<signalCount where sf_exchange(pendingSignals + signal, 1, 0) { pass(Int32(signal)) }
    }

    private func pass(_ signal: Int32) {
        let listeners = state.withLock { $0.listeners.filter { $0.signals.contains(signal) } }
        for listener in listeners { listener.pass(signal) }
    }
}

/// The number of values of a byte.
private let signalCount = 256

/// A byte for each signal: whether it was sent while the pipe was full.
///
/// Created before the first signal is caught, and never freed.
private nonisolated(unsafe) let pendingSignals: UnsafeMutablePointer<UInt8> = {
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: signalCount)
    bytes.initialize(repeating: 0, count: signalCount)
    return bytes
}()

/// The descriptor that the handler writes to.
///
/// Set before the first signal is caught, and never closed.
private nonisolated(unsafe) var signalPipe: Int32 = -1
