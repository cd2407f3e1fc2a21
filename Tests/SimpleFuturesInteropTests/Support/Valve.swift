import Dispatch
import SimpleFutures
import SimpleFuturesInterop
@testable import TestSupport

/// A source that notices if it is started or stopped twice.
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

/// Runs a closure on as many threads at about the same time.
func concurrently(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
    await withCheckedContinuation { done in
        DispatchQueue.global().async {
            DispatchQueue.concurrentPerform(iterations: count, execute: body)
            done.resume()
        }
    }
}
