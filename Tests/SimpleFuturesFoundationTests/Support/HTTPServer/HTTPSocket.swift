import Dispatch
import Foundation
@testable import TestSupport

/// The socket of a connection, and the sources of its events.
///
/// Sendable because everything but constants is touched on the server's serial queue alone, on which the events come,
/// too.
final class HTTPSocket: @unchecked Sendable {
    private let descriptor: Int32
    private let reading: any DispatchSourceRead
    private let writing: any DispatchSourceWrite
    private var readsOn = true
    private var waitsToWrite = false
    private var isClosed = false

    /// - Parameter open: Entered until the descriptor is closed.
    init(_ descriptor: Int32, queue: DispatchQueue, open: DispatchGroup) {
        self.descriptor = descriptor
        reading = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        writing = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
        // The descriptor may be used for another file as soon as it is closed: both sources must have let go of it.
        let sources = DispatchGroup()
        sources.enter()
        sources.enter()
        reading.setCancelHandler { sources.leave() }
        writing.setCancelHandler { sources.leave() }
        open.enter()
        sources.notify(queue: queue) {
            Foundation.close(descriptor)
            open.leave()
        }
    }

    func start(readable: @escaping @Sendable () -> Void, writable: @escaping @Sendable () -> Void) {
        reading.setEventHandler(handler: readable)
        writing.setEventHandler(handler: writable)
        reading.activate()
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Sockets.Transfer {
        Sockets.receive(from: descriptor, into: buffer)
    }

    func send(_ bytes: Data) -> Sockets.Transfer {
        bytes.withUnsafeBytes { Sockets.send($0, to: descriptor) }
    }

    /// Says whether to tell when there is something to be read, be it the end.
    func readOn(_ reads: Bool) {
        guard reads != readsOn, !isClosed else { return }
        readsOn = reads
        if reads { reading.resume() } else { reading.suspend() }
    }

    /// Says whether to tell when the socket takes more bytes.
    func waitToWrite(_ waits: Bool) {
        guard waits != waitsToWrite, !isClosed else { return }
        waitsToWrite = waits
        if waits { writing.resume() } else { writing.suspend() }
    }

    /// Says that there is nothing more to be sent.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    func close(resetting: Bool) {
        // A source that is suspended would never be cancelled.
        readOn(true)
        waitToWrite(true)
        isClosed = true
        if resetting { Sockets.resetWhenClosed(descriptor) }
        reading.cancel()
        writing.cancel()
    }
}
