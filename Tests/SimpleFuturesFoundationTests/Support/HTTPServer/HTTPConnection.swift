import Dispatch
import Foundation
@testable import TestSupport

/// One connection of a server.
///
/// Sendable because everything but constants is touched on the server's serial queue alone, on which the events of the
/// socket come, too.
final class HTTPConnection: @unchecked Sendable {
    enum State {
        /// Waits for a request, or for the rest of one.
        case reading
        /// Has the head of a request, and does not read the rest.
        case holding
        /// Has a request, whose response the test has yet to give.
        case deciding
        /// Sends the response.
        case sending(HTTPOutput)
        /// Has said all, and waits for the client to close: to close before everything is read would reset the
        /// connection, and might take the response from the client.
        case lingering
        case closed
    }

    let id: Int
    private let server: HTTPServerCore
    let socket: HTTPSocket
    private var parser = HTTPRequestParser()
    /// The request that is being read or answered; none while there is none, or when it was malformed.
    private var request: HTTPRequest?
    private var uploads = HTTPUploads.kept

    var state = State.reading
    /// Bytes that the socket has not yet taken.
    var unsent: HTTPPiece?

    init(_ descriptor: Int32, of server: HTTPServerCore) {
        self.server = server
        socket = HTTPSocket(descriptor, queue: server.queue, open: server.descriptors)
        id = server.recorder.update { $0.addConnection() }
    }

    func start() {
        socket.start(readable: { self.read() }, writable: { self.send() })
    }

    func note(_ body: (inout HTTPRecords) -> Void) { server.recorder.update(body) }

    private func read() {
        switch socket.receive(into: server.buffer) {
        case .wouldBlock: break
        case .closed(let error): clientHasClosed(error: error)
        case .bytes(let count): take(UnsafeRawBufferPointer(rebasing: server.buffer[..<count]))
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) {
        switch state {
        case .reading:
            parser.append(bytes)
            parse()
        // For later, if they are of the next request.
        case .holding, .deciding, .sending: if !isUnread { parser.append(bytes) }
        case .lingering, .closed: break
        }
    }

    /// Goes on with the bytes that have come, up to the next request.
    private func parse() {
        while case .reading = state {
            switch parser.next() {
            case .more: return note { $0.set(parser.isIdle ? .idle : .request, of: id) }
            case .head(let head, let expectsContinue): begin(head, expectsContinue: expectsContinue)
            case .body(let bytes):
                request?.bodyCount += bytes.count
                if case .counted = uploads {} else { request?.body.append(bytes) }
                note { $0.received(bytes.count, on: id) }
            case .end: respond()
            case .malformed(let reason):
                request = nil
                respond(.text(reason, status: 400))
            }
        }
    }

    private func begin(_ head: HTTPRequest, expectsContinue: Bool) {
        request = head
        request?.connection = id
        note { $0.set(.request, of: id) }
        uploads = server.uploads(of: head)
        if case .ignored = uploads { return respond() }
        if expectsContinue { _ = socket.send(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
        guard case .held(let gate) = uploads else { return }
        state = .holding
        socket.readOn(false)
        gate.pass { [queue = server.queue] in queue.async { self.readOn() } }
    }

    /// Goes on sending when the others have had their turn.
    func sendLater() { server.queue.async { self.send() } }

    private func readOn() {
        guard case .holding = state else { return }
        state = .reading
        socket.readOn(true)
        parse()
    }

    private func respond() {
        guard let request else { return }
        note { $0.add(request) }
        respond(server.response(to: request))
    }

    private func respond(_ response: HTTPResponse) {
        if case .closed = state { return }
        switch response {
        case .message(let message):
            if case .writer(let writer) = message.body {
                writer.attach { self.sendLater() }
            }
            start(HTTPOutput(message, to: request))
        case .raw(let bytes, let closes): start(HTTPOutput(raw: bytes, closes: closes))
        case .late(let late):
            state = .deciding
            late.attach { [queue = server.queue] response in queue.async { self.respond(response) } }
        }
    }

    private func start(_ output: HTTPOutput) {
        state = .sending(output)
        send()
    }

    /// Whether the client may still send what nobody will read.
    private var isUnread: Bool {
        if case .ignored = uploads { return request?.hasBody != false }
        return request == nil
    }

    /// Goes on to the next request, if there may be one.
    func responseHasEnded() {
        if isUnread {
            socket.endSending()
            state = .lingering
            return
        }
        guard request?.keepsAlive == true else { return close() }
        request = nil
        state = .reading
        note { $0.set(.idle, of: id) }
        // By way of the queue, as it may have been `parse` that has come here.
        if !parser.isIdle { server.queue.async { self.parse() } }
    }

    /// Closes the connection from the server's side.
    func close(resetting: Bool = false) { close(by: .server, error: nil, resetting: resetting) }

    func clientHasClosed(error: Int32?) {
        if case .lingering = state { return close() }
        close(by: .client, error: error, resetting: false)
    }

    private func close(by side: HTTPRecords.Closing.Side, error: Int32?, resetting: Bool) {
        if case .closed = state { return }
        state = .closed
        socket.close(resetting: resetting)
        server.remove(self)
        note { $0.close(id, by: side, error: error) }
    }
}
