import Foundation
@testable import TestSupport

/// The most memory that the process has had so far, in bytes; nil where that says nothing.
func peakMemory() -> Int {
    // A sanitizer keeps what was released, to see who uses it.
    guard dlsym(nil, "__asan_init") == nil, dlsym(nil, "__tsan_init") == nil else { return 0 }
    var usage = rusage()
    #if canImport(Darwin)
    getrusage(RUSAGE_SELF, &usage)
    return usage.ru_maxrss
    #else
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss * 1024
    #endif
}

/// One of the sockets of the process; not another one that has got its descriptor later.
struct OpenSocket: Hashable {
    let descriptor: Int32
    let inode: UInt64
}

/// The sockets of a server, the one that listens included.
func openSockets(of server: HTTPServer) -> Set<OpenSocket> {
    var sockets: Set<OpenSocket> = []
    for descriptor in 0..<min(getdtablesize(), 65_536) {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        var facts = stat()
        guard result == 0, Int32(address.sin_family) == AF_INET, UInt16(bigEndian: address.sin_port) == server.port,
            fstat(descriptor, &facts) == 0
        else { continue }
        sockets.insert(OpenSocket(descriptor: descriptor, inode: UInt64(facts.st_ino)))
    }
    return sockets
}
