import Foundation
import SimpleFutures
import SimpleFuturesFoundation

/// Until it is stopped, Ctrl-C cancels a token instead of ending the program.
final class Interrupt {
    let token = CancelToken()
    private let stopped = CancelToken()

    init() {
        FutureStream.signals(SIGINT, cancelToken: stopped)
            .onSuccess(context: ImmediateContext()) { [token] _ in token.cancel() }
    }

    func stop() { stopped.cancel() }
}
