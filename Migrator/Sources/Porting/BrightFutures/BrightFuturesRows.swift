/// The rows of `FromBrightFutures.md` that calls are counted under.
enum BrightFuturesRow {
    static let future = Row("`Future<T, E>`", "`TypedFuture<T, E>`")
    static let promise = Row("`Promise<T, E>()`, `promise.success(x)`, `promise.failure(e)`", "`TypedPromise<T, E>()`")
    static let value = Row("`Future(value: x)`, `Future(error: e)`", "the same, of `TypedFuture`")
    static let result = Row("`Future(result: r)`", "`TypedFuture(result: r)`")
    static let materialize = Row("`materialize { load(completion: $0) }`", "`future(method: load)`")
    static let asyncValue = Row("`queue.asyncValue { f() }`", "`future(context: queue) { f() }`")
    static let asyncResult = Row(
        "`queue.asyncResult { () -> Result<T, E> in … }`", "`future(context: queue) { try f().get() }`")
    static let context = Row("`f.onComplete(queue.context) { }`", "`f.onComplete(context: queue) { }`")
    static let immediate = Row("`ImmediateExecutionContext`, `queue.context`", "`.immediate`, the queue itself")
    static let valid = Row("`f.onSuccess(token.validContext) { }`", "`f.onSuccess(cancelToken: token) { }`")
    static let callbacks = Row("`f.onSuccess { … }.onFailure { … }`: callbacks return the future", "the same")
    static let onComplete = Row("`Result<T, E>` in callbacks", "`f.onResult { result in … }`")
    static let andThen = Row("`f.andThen { result in note(result) }`", "`andThen { value in … }` for the value")
    static let noError = Row("`NoError`", "`Never`")
    static let operators = Row("`map`, `flatMap`, `filter`, `recover`, `recoverWith`, `mapError`, `zip`", "the same")
    static let flatten = Row("`f.flatten()`", "`f.flatMap(context: .immediate) { $0 }`")
    static let asVoid = Row("`f.asVoid()`", "the same; `map(context: .immediate) { _ in }` of a `TypedFuture`")
    static let delay = Row("`f.delay(2.seconds)`", "`f.delay(.seconds(2))`")
    static let forced = Row("`f.forced()`", "`try f.wait()`")
    static let state = Row(
        "`f.isCompleted`, `f.isSuccess`, `f.isFailure`, `f.value`, `f.error`", "`f.completed`, `f.result`")
    static let promote = Row("`promoteError()`, `promoteValue()`", "nothing, or `f.future.typed(as: E.self)`")
    static let sequence = Row("`futures.sequence()`, `items.traverse { }`", "the same")
    static let first = Row("`futures.firstCompleted()`, `futures.find { }`", "the same")
    static let fold = Row("`futures.fold(0, f: { $0 + $1 })`", "`futures.fold(initial: 0) { $0 + $1 }`")
    static let token = Row("`InvalidationToken()`, `token.invalidate()`", "`CancelToken()`, `token.cancel()`")

    static let all = [
        future, promise, value, result, materialize, asyncValue, asyncResult, context, immediate, valid, callbacks,
        onComplete, andThen, noError, operators, flatten, asVoid, delay, forced, state, promote, sequence, first,
        fold, token,
    ]
}
