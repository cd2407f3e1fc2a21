import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

// Random programs of futures without a closure of the user's: timeouts, delays, races, shared work and so on, some of
// which end. The order of events is not predicted, but when all are dropped nothing is left of them (promise 8).

@Suite("Random programs leave nothing behind", .watchdog)
struct LeavingTests {
    enum Stage: CaseIterable { case oneThread, callback, threeThreads }

    @Test(arguments: Stage.allCases)
    func `dropped futures leave no timer, registration or work, and are released`(_ stage: Stage) async {
        let complaint = await onThread {
            (Settings.seed.map { $0...$0 } ?? 1...UInt64(200 * Settings.factor)).lazy.compactMap { seed in
                LeavingScene(seed).run(stage).map { "SIMPLEFUTURES_SEED=\(seed): \($0)" }
            }.first
        }
        #expect(complaint == nil)
    }
}

private final class LeavingScene: Sendable {
    private struct State {
        var random: Random
        var held: [Future<Void>] = []
        var calls: [Promise<Void>] = []
    }

    private let state: Lock<State>
    private let released = Log<@Sendable () -> Bool>()
    private let clock = ManualContext()
    private let token = CancelToken()
    private let promises = (0..<3).map { _ in Promise<Void>() }
    private let streams = (0..<2).map { StreamPromise<Void>(capacity: $0) }
    private let work = Box<SharedWork<Int, Void>?>(nil)

    init(_ seed: UInt64) {
        state = Lock(State(random: Random(seed: seed)))
        work.value = SharedWork { [unowned self] _, _ in
            let call = Promise<Void>()
            state.withLock { $0.calls.append(call) }
            // Others may join while the work is being started.
            if oneIn(2) { step() }
            return call.future
        }
    }

    private func oneIn(_ count: Int) -> Bool { state.withLock { $0.random.oneIn(count) } }

    private func seconds() -> Duration { state.withLock { .seconds($0.random.below(20) + 1) } }

    private func tokenOrNone() -> CancelToken { oneIn(4) ? token : .none }

    private func source() -> Future<Void> {
        state.withLock { state in
            let one = state.random.oneIn(3) ? nil : state.random.pick(state.held)
            return one ?? promises[state.random.below(promises.count)].future
        }
    }

    private func step() {
        switch state.withLock({ $0.random.below(18) }) {
        case 0, 1: hold(source().timeout(seconds(), context: clock, cancelToken: tokenOrNone()))
        case 2, 3: hold(source().delay(seconds(), context: clock, cancelToken: tokenOrNone()))
        case 4: hold([source(), source()].firstCompleted())
        case 5: hold([source(), source(), source()].firstSucceeded())
        case 6: hold(Future(dependent: source()))
        case 7: hold([source().asVoid(), source().materialize().asVoid()].settled().delay(seconds(), context: clock))
        case 8: hold(zip(source(), source()).timeout(seconds(), context: clock))
        case 9: hold([source(), source()].sequence())
        case 10: hold(streams[oneIn(2) ? 0 : 1].stream.first(cancelToken: tokenOrNone()))
        case 11, 12:
            if let work = work.value { hold(work.future(for: oneIn(2) ? 0 : 1, cancelToken: tokenOrNone())) }
        case 13: if oneIn(6) { promises[oneIn(2) ? 0 : 1].tryComplete(oneIn(2) ? .success(()) : .failure(Oops.source)) }
        case 14: if oneIn(2) { clock.advance(by: seconds()) }
        case 15: if oneIn(8) { token.cancel() } else if oneIn(3) { streams[oneIn(2) ? 0 : 1].success(()) }
        case 16: if oneIn(3) { state.withLock({ $0.calls.last })?.trySuccess(()) }
        default:
            _ = state.withLock { state in
                state.held.isEmpty ? nil : state.held.remove(at: state.random.below(state.held.count))
            }
        }
    }

    private func hold<T: Sendable>(_ future: Future<T>) {
        released.add { [weak future] in future == nil }
        let one = future as? Future<Void> ?? future.asVoid()
        state.withLock { $0.held.append(one) }
    }

    func run(_ stage: LeavingTests.Stage) -> Complaint? {
        switch stage {
        case .oneThread: for _ in 0..<40 { step() }
        case .callback: Future(value: ()).onSuccess(context: immediate) { for _ in 0..<40 { self.step() } }
        case .threeThreads: DispatchQueue.concurrentPerform(iterations: 3) { _ in for _ in 0..<20 { step() } }
        }
        let (dropped, _) = state.withLock { state in
            defer { (state.held, state.calls) = ([], []) }
            return (state.held, state.calls)
        }
        _ = consume dropped
        let registrations = promises.map(\.future.observerCount) + streams.map(\.stream.core.subscriberCount)
        let left = [
            "timers": clock.timerCount, "registrations": registrations.reduce(0, +),
            "under the token": token.registrationCount, "shared": work.value?.count ?? 0,
            "futures": released.all.count { !$0() },
        ]
        work.value = nil
        return left.values.allSatisfy { $0 == 0 } ? nil : "\(left)"
    }
}
