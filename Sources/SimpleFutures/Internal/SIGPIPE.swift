#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

#if canImport(Darwin)
/// The threads that write to each descriptor at the moment, and whether its flag was set before.
private let writers = Lock<[Int32: (count: Int, old: Int32)]>([:])
#endif

/// Writes to a descriptor without being terminated if the reader is gone.
///
/// - Parameters:
///   - descriptor: The descriptor.
///   - write: Calls `write` once, and returns its result.
/// - Returns: The result of the closure; `errno` is unchanged.
package func withoutSIGPIPE(on descriptor: Int32, _ write: () -> Int) -> Int {
    #if canImport(Darwin)
    // Apple's systems send the signal to the process, not to the thread that writes: to block it here is not enough.
    // They share the flag of the descriptor, so the last one resets it.
    writers.withLock { writers in
        let (count, old) = writers[descriptor] ?? (0, fcntl(descriptor, F_GETNOSIGPIPE))
        writers[descriptor] = (count + 1, old)
        _ = fcntl(descriptor, F_SETNOSIGPIPE, 1)
    }
    let count = write()
    let error = errno
    writers.withLock { writers in
        guard let (count, old) = writers[descriptor] else { return }
        writers[descriptor] = count > 1 ? (count - 1, old) : nil
        if count == 1, old == 0 { _ = fcntl(descriptor, F_SETNOSIGPIPE, 0) }
    }
    errno = error
    return count
    #else
    var pipeSignal = sigset_t()
    var old = sigset_t()
    var pending = sigset_t()
    sigemptyset(&pipeSignal)
    sigaddset(&pipeSignal, SIGPIPE)
    sigpending(&pending)
    pthread_sigmask(SIG_BLOCK, &pipeSignal, &old)
    let count = write()
    let error = errno
    if count < 0, error == EPIPE, sigismember(&pending, SIGPIPE) == 0 {
        // Consumes the signal that this write has caused.
        var number: Int32 = 0
        sigpending(&pending)
        if sigismember(&pending, SIGPIPE) == 1 { sigwait(&pipeSignal, &number) }
    }
    pthread_sigmask(SIG_SETMASK, &old, nil)
    errno = error
    return count
    #endif
}
