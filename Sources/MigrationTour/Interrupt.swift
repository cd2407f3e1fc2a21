import Dispatch
import Foundation
import SimpleFutures

/// Until it is stopped, Ctrl-C cancels a token instead of ending the program.
final class Interrupt {
    let token = CancelToken()
    private let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())

    init() {
        signal(SIGINT, SIG_IGN)
        source.setEventHandler { [token] in token.cancel() }
        source.activate()
    }

    func stop() {
        source.cancel()
        signal(SIGINT, SIG_DFL)
    }
}
