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
private let suppressing = Lock(())
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
    // All writers share the flag of a descriptor, so only one may change it at a time.
    suppressing.withLock { _ in
        let old = fcntl(descriptor, F_GETNOSIGPIPE)
        _ = fcntl(descriptor, F_SETNOSIGPIPE, 1)
        let count = write()
        let error = errno
        if old == 0 { _ = fcntl(descriptor, F_SETNOSIGPIPE, 0) }
        errno = error
        return count
    }
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
