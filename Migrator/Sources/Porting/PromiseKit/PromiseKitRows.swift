/// The rows of `FromPromiseKit.md` that calls are counted under.
enum PromiseKitRow {
    static let promise = Row("`Promise<T>`", "`Future<T>`")
    static let guarantee = Row("`Guarantee<T>`", "`Future<T>`")
    static let resolver = Row("`Promise { seal in … }`", "`Future { complete in … }`")
    static let seal = Row("`seal.fulfill(x)`, `seal.reject(e)`", "`complete(.success(x))`, `complete(.failure(e))`")
    static let resolve = Row("`load(completion: seal.resolve)`", "`future { load(completion: $0) }`")
    static let pending = Row(
        "`let (promise, seal) = Promise<T>.pending()`", "`let promise = Promise<T>()`, `promise.future`")
    static let value = Row(
        "`Promise.value(x)`, `Promise(error: e)`, `Promise()`",
        "`Future(value: x)`, `Future(error: e)`, `Future(value: ())`")
    static let firstly = Row("`firstly { load() }`", "`load()`")
    static let then = Row("`.then { load($0) }`", "`.flatMap { load($0) }`")
    static let map = Row("`.map { h($0) }`", "the same")
    static let compactMap = Row("`.compactMap { h($0) }`", "`.compactMap { h($0) }`")
    static let done = Row("`.done { use($0) }`", "`.onSuccess { use($0) }` at the end, else `.map { use($0) }`")
    static let get = Row("`.get { note($0) }`", "`.andThen { note($0) }`")
    static let tap = Row("`.tap { note($0) }`, with the result", "`.onComplete { note($0) }`")
    static let `catch` = Row("`.catch { show($0) }`", "`.onFailure { show($0) }`")
    static let ensure = Row("`.ensure { end() }`", "`.ensure { end() }`")
    static let ensureThen = Row(
        "`.ensureThen { close() }`", "`.materialize().flatMap { r in close().map { try r.get() } }`")
    static let finally = Row("`.finally { end() }`", "`.ensure { end() }`")
    static let recover = Row("`.recover { load($0) }`, of a promise", "`.recoverWith { load($0) }`")
    static let only = Row(
        "`.recover(only: E.self) { … }`, `.catch(only: …)`", "a `switch` that throws the others again")
    static let cauterize = Row("`.cauterize()`", "nothing")
    static let asVoid = Row("`.asVoid()`", "the same")
    static let wait = Row("`.wait()`", "`try f.wait()`")
    static let async = Row("`.async()` of PromiseKit 8", "`try await f.value`")
    static let whenFulfilled = Row(
        "`when(fulfilled: a, b)`, `when(fulfilled: promises)`", "`zip(a, b)`, `promises.sequence()`")
    static let concurrently = Row(
        "`when(fulfilled: generator, concurrently: 4)`", "`items.traverse(maxConcurrent: 4) { load($0) }`")
    static let whenResolved = Row("`when(resolved: promises)`", "`futures.settled()`")
    static let whenGuarantees = Row(
        "`when(guarantees: a, b)`, `when(guarantees: list)`", "`zip(a, b)`, `list.sequence()`")
    static let race = Row(
        "`race(a, b)`, `race(fulfilled: promises)`", "`[a, b].firstCompleted()`, `futures.firstSucceeded()`")
    static let after = Row("`after(seconds: 2)`, `after(.seconds(2))`", "`Future.after(.seconds(2))`")
    static let raceAfter = Row(
        "`race(load(), after(.seconds(5)).then { throw Timeout() })`", "`load().timeout(.seconds(5))`")
    static let collections = Row(
        "`.mapValues { }`, `.compactMapValues { }`, `.flatMapValues { }`, `.filterValues { }`, `.sortedValues()`, `.firstValue`, `.lastValue`",
        "`.map { $0.map { … } }`, and so on")
    static let thenMap = Row(
        "`.thenMap { load($0) }`, `.thenFlatMap { load($0) }`", "`.flatMap { $0.traverse { load($0) } }`")
    static let on = Row("`on: .global()`, `on: queue`", "`context: .global`, `context: queue`")
    static let onNil = Row("`on: nil`", "`context: .immediate`")
    static let conf = Row("`conf.Q = (map: …, return: …)`", "`QueueContext.futuresDefault`")
    static let flags = Row("`flags: .barrier`", "a context of your own")
    static let queueAsync = Row("`queue.async(.promise) { try f() }`", "`future(context: queue) { try f() }`")
    static let state = Row(
        "`isPending`, `isResolved`, `isFulfilled`, `isRejected`, `value`, `error`, `result`",
        "`f.completed`, `f.result`")
    static let cancellable = Row(
        "`CancellablePromise`, `cancellize()`, `.cancel()`", "the future itself and a `CancelToken`")
    static let cancelContext = Row(
        "`cancellable.cancelContext`, `appendCancellable(task, reject:)`", "`token.onCancel { task.cancel() }`")
    static let policy = Row("`.catch(policy: .allErrors)`", "`onFailure` and `onCancel`")
    static let cancelled = Row("`PMKError.cancelled`, `error.isCancelled`", "`CancellationError` where it is awaited")
    static let error = Row("`PMKError`", "`FuturesError`")

    static let all = [
        promise, guarantee, resolver, seal, resolve, pending, value, firstly, then, map, compactMap, done, get, tap,
        `catch`, ensure, ensureThen, finally, recover, only, cauterize, asVoid, wait, async, whenFulfilled,
        concurrently, whenResolved, whenGuarantees, race, after, raceAfter, collections, thenMap, on, onNil, conf,
        flags, queueAsync, state, cancellable, cancelContext, policy, cancelled, error,
    ]
}
