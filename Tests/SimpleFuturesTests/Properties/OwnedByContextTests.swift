import SimpleFutures
import Testing

@testable import TestSupport

@Suite("Promise 5: a context that owns its own source is not released under a lock", .watchdog)
struct OwnedByContextTests {
    enum Act: String, Codable, CaseIterable {
        case tokenIsCanceled, sourceCancelsToken, derivedFinishes
    }

    /// A context that owns the stream or the future with which its callbacks are registered.
    @Test(arguments: Act.allCases)
    func `unsubscribing a stream's last subscriber releases the owner of the stream`(_ act: Act) async {
        await #expect(processExitsWith: .success) { [act] in
            let token = CancelToken()
            var owner: Owner? = Owner()
            weak let released = owner
            guard let stream = owner?.streamPromise.stream, let context = owner else { return }
            let derived = stream.map(context: context, cancelToken: token) { $0 }
            owner = nil
            _ = consume context
            switch act {
            case .tokenIsCanceled: token.cancel()
            case .sourceCancelsToken: stream.cancel(token)
            case .derivedFinishes: derived.finish()
            }
            _ = consume stream
            precondition(released == nil, "the owner is kept")
        }
    }

    @Test func `unsubscribing a future's last callback releases the owner of the future`() async {
        await #expect(processExitsWith: .success) {
            let token = CancelToken()
            var owner: Owner? = Owner()
            weak let released = owner
            owner?.promise.future.onSuccess(context: owner ?? Owner(), cancelToken: token) { _ in }
            owner = nil
            token.cancel()
            precondition(released == nil, "the owner is kept")
        }
    }
}

private final class Owner: ExecutionContext {
    let promise = Promise<Int>()
    let streamPromise = StreamPromise<Int>(capacity: 0)

    func execute(_ task: @escaping @Sendable () -> Void) { task() }
}
