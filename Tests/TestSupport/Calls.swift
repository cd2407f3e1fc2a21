import SimpleFutures
import Testing

/// The public calls that a test makes from inside callbacks.
enum Call: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case complete, completeAgain, completeOther, onComplete, onSuccess, onCancel, registerOnOther, registerUnderToken
    case map, flatMap, recover, completeWith, completeWithItself, sequence, zip, traverse, delay, timeout
    case futureCancel, tokenCancel, tokenOnCancel, registrationCancel, wait, waitForDeferred, result
    case dropLastReference, dropPromise, wrapBlock, setHandler
    case fold, reduce, settled, firstCompleted, firstSucceeded, find, retry, after, materialize, asVoid, on
    case tokenChild, tokenAnyOf, tokenDeadline, dropChild

    var testDescription: String { rawValue }

    /// Makes the call.
    func make(on bench: Bench) {
        let here = ImmediateContext()
        let future = bench.promise.future
        switch self {
        case .complete: bench.promise.trySuccess(2)
        case .completeAgain: bench.promise.failure(Failure())
        case .completeOther: bench.other.trySuccess(2)
        case .onComplete: future.onComplete(context: here) { _ in bench.after.increment() }
        case .onSuccess: future.onSuccess(context: here) { _ in bench.after.increment() }
        case .onCancel: future.onCancel(context: here) { bench.after.increment() }
        case .registerOnOther: bench.other.future.onComplete(context: here) { _ in bench.after.increment() }
        case .registerUnderToken: future.onComplete(context: here, cancelToken: bench.token) { _ in }
        case .map: _ = future.map(context: here) { $0 }
        case .flatMap: _ = future.flatMap(context: here) { _ in bench.other.future }
        case .recover: _ = future.recover(context: here) { _ in 1 }
        case .completeWith: bench.other.completeWith(future: future)
        case .completeWithItself: bench.other.completeWith(future: bench.other.future)
        case .sequence: _ = [future, bench.other.future].sequence()
        case .zip: _ = SimpleFutures.zip(future, bench.other.future)
        case .traverse: _ = [1, 2].traverse(maxConcurrent: 1, context: here) { Future(value: $0) }
        case .delay: _ = future.delay(.seconds(1), context: bench.manual, cancelToken: bench.token)
        case .timeout: _ = future.timeout(.seconds(1), context: bench.manual, cancelToken: bench.token)
        case .futureCancel: future.cancel(bench.token)
        case .tokenCancel: bench.token.cancel()
        case .tokenOnCancel: bench.token.onCancel { bench.after.increment() }
        case .registrationCancel: bench.registration.value.cancel()
        case .wait: _ = try? Future(value: 1).wait()
        case .waitForDeferred:
            let deferred = Promise<Int>()
            let derived = deferred.future.map(context: here) { $0 + 1 }
            deferred.success(1)
            _ = try? derived.wait()
        case .result: _ = (future.result, future.completed, future.isCancelled, future.debugDescription)
        case .dropLastReference:
            let bare = Future<Int>()
            bare.onFailure(context: here) { _ in bench.after.increment() }
        case .dropPromise: Promise<Int>().future.onFailure(context: here) { _ in bench.after.increment() }
        case .wrapBlock: _ = SimpleFutures.future(method: { (block: @Sendable (Int) -> Void) in block(3) })
        case .fold: _ = [future, bench.other.future].fold(context: here, initial: 0) { $0 + $1 }
        case .reduce: _ = [future, bench.other.future].reduce(context: here) { $0 + $1 }
        case .settled: _ = [future, bench.other.future].settled()
        case .firstCompleted: _ = [future, bench.other.future].firstCompleted()
        case .firstSucceeded: _ = [future, bench.other.future].firstSucceeded()
        case .find: _ = [future, bench.other.future].find(context: here) { $0 > 0 }
        case .retry: _ = Future.retry(2, delay: .seconds(1), context: bench.manual) { bench.other.future }
        case .after: _ = Future.after(.seconds(1), value: 1, context: bench.manual, cancelToken: bench.token)
        case .materialize: _ = future.materialize()
        case .asVoid: _ = future.asVoid()
        case .on: future.on(context: here, success: { _ in bench.after.increment() })
        case .tokenChild: bench.token.child().onCancel { bench.after.increment() }
        case .tokenAnyOf: CancelToken(anyOf: bench.token, CancelToken()).onCancel { bench.after.increment() }
        case .tokenDeadline:
            CancelToken(after: .seconds(1), context: bench.manual).onCancel { bench.after.increment() }
        case .dropChild: _ = bench.token.child()
        case .setHandler: FuturesDiagnostics.handler = FuturesDiagnostics.handler
        }
    }
}

/// What the calls are made on.
final class Bench: Sendable {
    let promise = Promise<Int>()
    let other = Promise<Int>()
    let token = CancelToken()
    let manual = ManualContext()
    let after = Box(0)
    let registration = Box(Registration())

    /// Ends everything, since callbacks that never run would keep the bench alive.
    func clear() {
        token.cancel()
        promise.trySuccess(0)
        other.trySuccess(0)
        manual.advance(by: .seconds(10))
    }
}
