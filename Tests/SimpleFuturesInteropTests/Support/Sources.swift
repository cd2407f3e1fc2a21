import Dispatch
import SimpleFutures
import SimpleFuturesInterop
@testable import TestSupport

/// A typical source: it is started and stopped, and calls back with numbers in between.
final class Faucet: Sendable {
    /// The events so far: starts, stops, and entries of tests.
    let log = Box<[String]>([])
    /// The emitter of the current run, released when it is stopped.
    let emitter = Box<StreamEmitter<Int>?>(nil)
    /// How many of its streams and handles are alive.
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

    func note(_ what: String) { log.append(what) }

    func emit(_ numbers: Int...) { for number in numbers { emitter.value?.success(number) } }

    /// The events since the last call, as text.
    func news() -> [String] { log.take() }
}

extension FutureStream<Int> {
    func words(to log: Box<[String]>, cancelToken: CancelToken = .none) {
        onComplete(context: immediate, cancelToken: cancelToken) { result in
            log.append(result.value.map { "\($0)" } ?? "failure")
        }
        onFinish(context: immediate) { log.append("finish") }
        onCancel(context: immediate) { log.append("cancel") }
    }
}

/// The ways to subscribe to a stream and to unsubscribe.
enum Listening: CaseIterable, Sendable {
    case success, failure, complete
    case values, results, subscription
    case derived, joined, first

    /// Returns a closure that unsubscribes.
    func begin(on stream: FutureStream<Int>) -> () -> Void {
        let token = CancelToken()
        switch self {
        case .success: stream.onSuccess(context: immediate, cancelToken: token) { _ in }
        case .failure: stream.onFailure(context: immediate, cancelToken: token) { _ in }
        case .complete: stream.onComplete(context: immediate, cancelToken: token) { _ in }
        case .values: return keep(stream.values.makeAsyncIterator())
        case .results: return keep(stream.results.makeAsyncIterator())
        case .subscription: return keep(stream.subscription())
        case .derived: _ = stream.map(context: immediate, cancelToken: token) { $0 }
        case .joined:
            let target = StreamPromise<Int>(capacity: 0)
            target.completeWith(stream: stream)
            return { target.finish() }
        case .first:
            let target = Future<Int>()
            target.completeWith(context: immediate, stream: stream)
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
    /// Returns the words so far and clears them.
    func take() -> [String] {
        change { words in
            defer { words = [] }
            return words
        }
    }
}

/// A source that detects whether it is started or stopped twice.
final class Valve: Sendable {
    let (starts, stops, errors) = (Tally(), Tally(), Tally())
    private let running = Box<(run: Int, emitter: StreamEmitter<Int>)?>(nil)

    var isRunning: Bool { running.change { $0 != nil } }
    var emitter: StreamEmitter<Int>? { running.value?.emitter }

    func emit(_ number: Int) { emitter?.success(number) }

    func emitRun() { if let (run, emitter) = running.value { emitter.success(run) } }

    func stream(capacity: Int = 0, cancelToken: CancelToken = .none) -> FutureStream<Int> {
        FutureStream(capacity: capacity, cancelToken: cancelToken) { emitter in
            self.starts.add()
            let old = self.running.value
            self.running.value = (self.starts.count, emitter)
            if old != nil { self.errors.add() }
            return CancelAction {
                self.stops.add()
                if !self.isRunning { self.errors.add() }
                self.running.value = nil
            }
        }
    }
}

/// Runs a closure on several threads at about the same time.
func concurrently(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
    together((0..<count).map { index in { body(index) } })
}
