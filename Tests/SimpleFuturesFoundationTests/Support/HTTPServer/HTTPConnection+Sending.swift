import Foundation
@testable import TestSupport

extension HTTPConnection {
    /// How many pieces to send before it is another connection's turn.
    private static let piecesInARow = 16

    /// Sends what there is to send and the socket takes.
    func send() {
        for _ in 0..<Self.piecesInARow {
            if let unsent {
                guard send(unsent) else { return }
            } else {
                guard case .sending(var output) = state else { return socket.waitToWrite(false) }
                let step = output.next()
                state = .sending(output)
                guard take(step) else { return }
            }
        }
        sendLater()
    }

    /// Whether to go on at once.
    private func take(_ step: HTTPStep) -> Bool {
        switch step {
        case .piece(let piece):
            unsent = piece
            return true
        case .wait: socket.waitToWrite(false)
        case .end:
            socket.waitToWrite(false)
            responseHasEnded()
        case .breakOff(let resetting): close(resetting: resetting)
        }
        return false
    }

    /// Whether to go on at once.
    private func send(_ piece: HTTPPiece) -> Bool {
        switch socket.send(piece.bytes) {
        case .bytes(let count):
            let ofBody = piece.body.clamped(to: 0..<count).count
            unsent = piece.dropping(count)
            note { $0.sent(ofBody, on: id) }
            return true
        case .wouldBlock:
            socket.waitToWrite(true)
            note { $0.block(id) }
        case .closed(let error): clientHasClosed(error: error)
        }
        return false
    }
}

extension HTTPPiece {
    /// What is left without the first bytes, nil when that is nothing.
    fileprivate func dropping(_ count: Int) -> HTTPPiece? {
        guard count < bytes.count else { return nil }
        var rest = self
        rest.bytes = bytes.dropFirst(count)
        rest.body = max(body.lowerBound - count, 0)..<max(body.upperBound - count, 0)
        return rest
    }
}
