import SimpleFutures
import SimpleFuturesInterop
@testable import TestSupport

/// A source as users have them: started and stopped, and meanwhile it calls back with numbers.
final class Faucet: Sendable {
    /// What has happened: starts, stops, and what tests add.
    let log = Box<[String]>([])
    /// The emitter of the run that goes on; it is let go with the stop.
    let emitter = Box<StreamEmitter<Int>?>(nil)
    /// How many streams and handles of it are alive.
    let alive = Tally()

    func stream(
        capacity: Int = 0, cancelToken: CancelToken = .none,
        onStart: (@Sendable (StreamEmitter<Int>) -> Void)? = nil, onStop: (@Sendable () -> Void)? = nil
    ) -> FutureStream<Int> {
        FutureStream(capacity: capacity, cancelToken: cancelToken) { [captive = Captive(alive)] emitter in
            captive.touch()
            self.note("start")
            self.emitter.value = emitter
            onStart?(emitter)
            return CancelAction(keeping: Captive(self.alive)) {
                self.note("stop")
                self.emitter.value = nil
                onStop?()
            }
        }
    }

    func note(_ what: String) { log.change { $0.append(what) } }

    func emit(_ numbers: Int...) { for number in numbers { emitter.value?.success(number) } }

    /// What has happened since the last call, in words.
    func news() -> [String] { log.take() }
}

extension FutureStream<Int> {
    /// Notes what comes; the end too.
    func words(to log: Box<[String]>, cancelToken: CancelToken = .none) {
        let context = ImmediateContext()
        onComplete(context: context, cancelToken: cancelToken) { result in
            log.change { $0.append(result.value.map { "\($0)" } ?? "failure") }
        }
        onFinish(context: context) { log.change { $0.append("finish") } }
        onCancel(context: context) { log.change { $0.append("cancel") } }
    }
}

/// The ways to listen to a stream, and to leave it.
enum Listening: CaseIterable, Sendable {
    case success, failure, complete
    case values, results, subscription
    case derived, joined, first

    /// Returns what leaves.
    func begin(on stream: FutureStream<Int>) -> () -> Void {
        let token = CancelToken()
        let context = ImmediateContext()
        switch self {
        case .success: stream.onSuccess(context: context, cancelToken: token) { _ in }
        case .failure: stream.onFailure(context: context, cancelToken: token) { _ in }
        case .complete: stream.onComplete(context: context, cancelToken: token) { _ in }
        case .values: return keep(stream.values.makeAsyncIterator())
        case .results: return keep(stream.results.makeAsyncIterator())
        case .subscription: return keep(stream.subscription())
        case .derived: _ = stream.map(context: context, cancelToken: token) { $0 }
        case .joined:
            let target = StreamPromise<Int>(capacity: 0)
            target.completeWith(stream: stream)
            return { target.finish() }
        case .first:
            let target = Future<Int>()
            target.completeWith(context: context, stream: stream)
            return { target.success(0) }
        }
        return { token.cancel() }
    }

    private func keep<Kept>(_ kept: Kept) -> () -> Void {
        var kept: Kept? = kept
        return {
            withExtendedLifetime(kept) {}
            kept = nil
        }
    }
}

extension Box where Value == [String] {
    /// The words so far, which are forgotten.
    func take() -> [String] {
        change { words in
            defer { words = [] }
            return words
        }
    }
}
