import Foundation
import SimpleFutures
@testable import TestSupport

/// The body of one response, chunk by chunk as the test writes it.
///
/// It takes chunks from any thread, also before there is a request; each is sent as soon as the socket takes it, as one
/// chunk where the response is chunked. `HTTPServer.waitUntil { $0.bodyBytesSent == … }` tells when that has been.
final class BodyWriter: Sendable {
    private struct State {
        var chunks: [Data] = []
        var end: HTTPStep?
        var wake: (@Sendable () -> Void)?
    }

    private let state = Lock(State())

    init() {}

    func write(_ data: Data) {
        guard !data.isEmpty else { return }
        update { $0.chunks.append(data) }
    }

    func write(_ text: String) { write(Data(text.utf8)) }

    /// Ends the body; the connection is closed when it was to have more bytes.
    func finish() { update { $0.end = $0.end ?? .end } }

    /// Closes the connection after what has been written, without the end of the body.
    ///
    /// - Parameter resetting: With a reset, which the client sees as an error, not as an end.
    func breakOff(resetting: Bool = false) { update { $0.end = $0.end ?? .breakOff(resetting: resetting) } }

    /// Names what to call when there is something new.
    func attach(_ wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }

    /// What comes next.
    func next() -> HTTPStep {
        state.withLock { state in
            state.chunks.isEmpty ? state.end ?? .wait : .piece(HTTPPiece(body: state.chunks.removeFirst()))
        }
    }

    private func update(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            return state.wake
        }?()
    }
}
