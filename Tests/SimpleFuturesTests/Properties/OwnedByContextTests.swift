import SimpleFutures
import Testing

@testable import TestSupport

@Suite("Promise 5: a context that owns what it listens to is released under no lock", .watchdog)
struct OwnedByContextTests {
    enum Act: String, Codable, CaseIterable {
        case tokenIsCanceled, sourceCancelsToken, derivedFinishes
    }

    /// An object that is a context and owns the stream, or the future, that its callbacks are registered with.
    @Test(arguments: Act.allCases)
    func `a stream's last subscriber leaves, and takes the owner of the stream along`(_ act: Act) async {
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

    @Test func `a future's last callback leaves, and takes the owner of the future along`() async {
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
