import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promise 1: a callback runs exactly once, or never if cancelled", .watchdog)
struct ExactlyOnceTests {
    @Test(arguments: Place.allCases)
    func `two racing completers run each callback once`(_ place: Place) {
        let spot = place.make()
        let winners = Box<[Int]>([])
        race(rounds: Stress.rounds(2_000)) {
            winners.value = []
            let arena = Arena()
            arena.register(on: spot.context)
            return arena
        } _: { arena in
            if arena.promise.trySuccess(1) { winners.append(1) }
        } _: { arena in
            if arena.promise.tryFailure(Failure(id: 2)) { winners.append(2) }
        } check: { arena in
            spot.settle()
            try verify(winners.value.count == 1, "one completer wins")
            try verify(arena.runs.value == 2, "each callback runs once, not \(arena.runs.value) in all")
            let isFirst = arena.promise.future.result?.isSuccess()
            try verify(isFirst == (winners.value == [1]), "the result is the winner's")
        }
    }

    @Test(arguments: Place.allCases)
    func `a callback that is registered while the future is completed runs once`(_ place: Place) {
        let spot = place.make()
        race {
            Arena()
        } _: { arena in
            arena.register(on: spot.context)
            arena.register(on: spot.context)
        } _: { arena in
            arena.promise.success(1)
        } check: { arena in
            spot.settle()
            spot.settle()
            try verify(arena.runs.value == 4, "each callback runs once, not \(arena.runs.value) in all")
            try verify(arena.promise.future.observerCount == 0, "nothing stays registered")
        }
    }

    @Test(arguments: Place.allCases, CancelledHow.allCases)
    func `a cancellation that races with the completion lets a callback run once or never`(
        _ place: Place, _ how: CancelledHow
    ) {
        let spot = place.make()
        race {
            let arena = Arena()
            arena.register(on: spot.context, under: arena.token)
            arena.derive(on: spot.context)
            return arena
        } _: { arena in
            how.cancel(arena)
        } _: { arena in
            arena.promise.success(1)
        } check: { arena in
            spot.settle()
            try arena.check()
            try verify(arena.runs.value <= 2, "no callback runs twice")
        }
    }

    @Test(arguments: Place.allCases, CancelledHow.allCases)
    func `a cancellation that races with the registration lets a callback run once or never`(
        _ place: Place, _ how: CancelledHow
    ) {
        let spot = place.make()
        race {
            Arena()
        } _: { arena in
            arena.register(on: spot.context, under: arena.token)
            arena.derive(on: spot.context)
        } _: { arena in
            how.cancel(arena)
        } check: { arena in
            arena.promise.success(1)
            spot.settle()
            try arena.check()
            try verify(arena.runs.value <= 2, "no callback runs twice")
        }
    }

    @Test(arguments: Place.allCases)
    func `two racing cancellations detach a callback once`(_ place: Place) {
        let spot = place.make()
        let detached = Box(0)
        race {
            detached.value = 0
            let arena = Arena()
            arena.register(on: spot.context, under: arena.token)
            arena.derive(on: spot.context)
            return arena
        } _: { arena in
            if arena.promise.future.cancel(arena.token) { detached.increment() }
        } _: { arena in
            arena.token.cancel()
        } check: { arena in
            try verify(arena.promise.future.observerCount == 0, "nothing stays registered")
            arena.promise.success(1)
            spot.settle()
            try verify(arena.runs.value == 0, "what is detached does not run")
            try verify(arena.derived.value?.isCancelled == true, "what is detached is cancelled")
            try verify(detached.value <= 1, "one of the two detaches")
        }
    }

    @Test(arguments: Place.allCases)
    func `cancel(token) says true if and only if the callback never runs`(_ place: Place) {
        let spot = place.make()
        let said = Box(false)
        race {
            let arena = Arena()
            arena.promise.future.onSuccess(context: spot.context, cancelToken: arena.token) { _ in
                arena.runs.increment()
            }
            return arena
        } _: { arena in
            said.value = arena.promise.future.cancel(arena.token)
        } _: { arena in
            arena.promise.success(1)
        } check: { arena in
            spot.settle()
            try verify(arena.runs.value == (said.value ? 0 : 1), "it said \(said.value), \(arena.runs.value) have run")
        }
    }

    @Test(arguments: Place.allCases)
    func `a cancellation that races with the release of the source leaves nothing pending`(_ place: Place) {
        let spot = place.make()
        race {
            let arena = Arena()
            arena.derive(on: spot.context)
            arena.bare.value?.onComplete(context: spot.context, cancelToken: arena.token) { _ in
                arena.runs.increment()
            }
            arena.derived.value = arena.bare.value?.map(context: spot.context, cancelToken: arena.token) { $0 }
            return arena
        } _: { arena in
            arena.bare.value = nil
        } _: { arena in
            arena.token.cancel()
        } check: { arena in
            spot.settle()
            try verify(arena.runs.value <= 1, "no callback runs twice")
            let ended = arena.derived.value.map { $0.isCancelled || $0.completed }
            try verify(ended == true, "the derived future ends")
            try verify(arena.token.registrationCount == 0, "nothing stays under the token")
        }
    }

    @Test(arguments: [false, true])
    func `a context that runs its tasks twice gets no second run out of them`(_ atATime: Bool) throws {
        for _ in 0..<Stress.rounds(200) {
            let runs = Box(0)
            let promise = Promise<Int>()
            let token = CancelToken()
            let context: any ExecutionContext = atATime ? DoublingContext() : RepeatingContext()
            promise.future.onSuccess(context: context) { _ in runs.increment() }
            promise.future.onSuccess(context: context, cancelToken: token) { _ in runs.increment() }
            let derived = promise.future.map(context: context) { value in
                runs.increment()
                return value
            }
            promise.success(3)
            try verify(runs.value == 3, "each callback runs once, not \(runs.value) in all")
            try verify(derived.result?.value == 3, "the first run counts")
        }
    }

    @Test func `of two sources that race to complete a future one wins, and both let go`() {
        race(rounds: Stress.rounds()) {
            let arena = Pair()
            arena.target.future.completeWith(future: arena.first.future)
            arena.target.future.completeWith(future: arena.second.future)
            arena.target.future.onSuccess(context: ImmediateContext()) { _ in arena.runs.increment() }
            return arena
        } _: { arena in
            arena.first.success(1)
        } _: { arena in
            arena.second.success(2)
        } check: { arena in
            try verify(arena.runs.value == 1, "the callback runs once")
            try verify(arena.target.future.completed, "one source wins")
            try verify(arena.first.future.observerCount == 0, "the first lets go")
            try verify(arena.second.future.observerCount == 0, "the second lets go")
        }
    }
}

/// How a test cancels.
enum CancelledHow: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case wholly = "token.cancel()"
    case here = "future.cancel(token)"

    var testDescription: String { rawValue }

    fileprivate func cancel(_ arena: Arena) {
        switch self {
        case .wholly: arena.token.cancel()
        case .here: arena.promise.future.cancel(arena.token)
        }
    }
}

/// What two threads race over.
private final class Arena: Sendable {
    let promise = Promise<Int>()
    let bare = Box<Future<Int>?>(Future())
    let token = CancelToken()
    let runs = Box(0)
    let derived = Box<Future<Int>?>(nil)
    let cancellations = Box(0)

    /// Two callbacks, so that the first is held in the compact form if it can be.
    func register(on context: any ExecutionContext, under token: CancelToken = .none) {
        for _ in 1...2 {
            promise.future.onComplete(context: context, cancelToken: token) { [runs] _ in runs.increment() }
        }
    }

    func derive(on context: any ExecutionContext) {
        let derived = promise.future.map(context: context, cancelToken: token) { $0 }
        derived.onCancel(context: ImmediateContext()) { [cancellations] in cancellations.increment() }
        self.derived.value = derived
    }

    func check() throws {
        guard let derived = derived.value else { return }
        try verify(derived.isCancelled || derived.result?.value == 1, "the derived future ends")
        try verify(!(derived.isCancelled && derived.completed), "it ends in one way")
        try verify(cancellations.value == (derived.isCancelled ? 1 : 0), "onCancel tells so")
        try verify(promise.future.observerCount == 0, "nothing stays registered")
        try verify(token.registrationCount == 0, "nothing stays under the token")
    }
}

private final class Pair: Sendable {
    let target = Promise<Int>()
    let first = Promise<Int>()
    let second = Promise<Int>()
    let runs = Box(0)
}
