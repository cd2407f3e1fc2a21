/// The rows of `FromCombine.md` that calls are counted under.
enum CombineRow {
    static let future = Row(
        "`Future<T, E> { promise in promise(.success(x)) }`", "`Future<T> { complete in complete(.success(x)) }`")
    static let deferred = Row("`Deferred { Future { … } }`", "a function that returns a future")
    static let just = Row("`Just(x)`, `Fail(error: e)`, `Result.publisher`", "`Future(value: x)`, `Future(error: e)`")
    static let empty = Row(
        "`Empty()`, `Empty(completeImmediately: false)`", "`FutureStream(capacity: 0)`, or one that you keep")
    static let publisher = Row("`AnyPublisher<T, E>`, `eraseToAnyPublisher()`", "`Future<T>` or `FutureStream<T>`")
    static let passthrough = Row("`PassthroughSubject`", "`StreamPromise(capacity: 0)`")
    static let currentValue = Row(
        "`CurrentValueSubject(x)`, `subject.value`", "`StreamPromise(capacity: 1)` with a first `success(x)`")
    static let send = Row("`send(x)`, `send(completion: .finished)`", "`success(x)`, `finish()`")
    static let sendFailure = Row("`send(completion: .failure(e))`", "`failure(e)`, then `finish()`")
    static let sink = Row(
        "`sink { }`, `sink(receiveCompletion:receiveValue:)`", "`onSuccess { }`, `onFailure { }`, `onFinish { }`")
    static let store = Row("`AnyCancellable`, `store(in: &set)`", "an `OwnedToken`; pass `token.token` to each call")
    static let assign = Row("`assign(to: \\.name, on: self)`, `assign(to: &$name)`", "`onSuccess(isolated: { … })`")
    static let receive = Row("`receive(on: queue)`", "`context: queue` of the calls that follow")
    static let subscribe = Row("`subscribe(on: queue)`", "`future(context: queue) { … }`")
    static let operators = Row("`map`, `tryMap`, `compactMap`, `filter`, `scan`, `reduce`", "the same without `try`")
    static let decode = Row(
        "`decode(type: T.self, decoder: d)`", "`map { try JSONDecoder().decode(T.self, from: $0) }`")
    static let keyPath = Row("`map(\\.name)`", "`map { $0.name }`")
    static let flatMap = Row("`flatMap { load($0) }`", "the same")
    static let flatMapMax = Row(
        "`flatMap(maxPublishers: .max(1)) { load($0) }`", "`asyncMap { try await load($0).value }`")
    static let latest = Row("`map { load($0) }.switchToLatest()`", "`flatMapLatest { load($0) }`")
    static let `catch` = Row("`catch { load($0) }`, `tryCatch { … }`", "`recoverWith { load($0) }`")
    static let replaceError = Row("`replaceError(with: x)`", "`recover { _ in x }`")
    static let replaceNil = Row("`replaceNil(with: x)`", "`map { $0 ?? x }`")
    static let mapError = Row("`mapError { }`", "the same")
    static let failureType = Row("`setFailureType(to:)`, `assertNoFailure()`", "nothing")
    static let retry = Row("`retry(3)`", "`Future.retry(4) { load() }`")
    static let timeout = Row("`timeout(.seconds(5), scheduler: q, customError: …)`", "`timeout(.seconds(5))`")
    static let delay = Row("`delay(for: .seconds(2), scheduler: q)`", "`delay(.seconds(2))` of futures")
    static let debounce = Row(
        "`debounce(for:scheduler:)`, `throttle(for:scheduler:latest:)`", "`debounce(_:)`, `throttle(_:latest:)`")
    static let distinct = Row("`removeDuplicates()`, `removeDuplicates(by:)`", "`distinct()`, `distinct(by:)`")
    static let prefix = Row("`prefix(3)`, `dropFirst(3)`, `output(at:)`", "`take(3)`, `drop(3)`")
    static let first = Row("`first()`, `last()`, `collect()`, `count()`", "`first()`, and calls of `reduce`")
    static let search = Row(
        "`first(where: { p($0) })`, `contains`, `allSatisfy`", "`filter { p($0) }.first()`, a loop with `break`")
    static let prepend = Row(
        "`prepend(x)`, `append(s)`",
        "`FutureStream(value: x, capacity: n + 1).merge(stream)`, if the capacity of `stream` is `n`; two loops")
    static let zip = Row("`a.zip(b)`, `Publishers.Zip`", "`zip(a, b)`")
    static let merge = Row(
        "`a.merge(with: b)`, `Publishers.MergeMany(list)`",
        "`merge(a, b)`, `FutureStream(capacity: n).merge(list)`, if the capacities of `list` add up to `n`")
    static let combineLatest = Row("`a.combineLatest(b)`", "the same")
    static let share = Row("`share()`, `multicast`, `autoconnect()`, `makeConnectable()`", "nothing")
    static let buffer = Row("`buffer(size:prefetch:whenFull:)`", "`capacity:`, and `values(buffering:)` of the loop")
    static let events = Row("`handleEvents(receiveOutput:receiveCancel:)`", "`andThen { }`, `onCancel { }`")
    static let ignore = Row("`ignoreOutput()`", "`asVoid()` of futures; `reduce(()) { _, _ in }` of streams")
    static let values = Row("`publisher.values`", "`stream.values`")
    static let notifications = Row(
        "`NotificationCenter.publisher(for:)`", "`center.notifications(named:capacity:) { … }`")
    static let session = Row(
        "`session.dataTaskPublisher(for: url)`", "`session.dataFuture(from: url, cancelToken: token)`")
    static let timer = Row("`Timer.publish(every: 1, …)`", "`FutureStream.every(.seconds(1))`")
    static let published = Row(
        "`@Published`, `$name`", "a `StreamPromise(capacity: 1)` beside the property; or Observation")
    static let print = Row("`print()`, `breakpoint()`", "`andThen { print($0) }`")

    static let all = [
        future, deferred, just, empty, publisher, passthrough, currentValue, send, sendFailure, sink, store,
        assign, receive, subscribe, operators, decode, keyPath, flatMap, flatMapMax, latest, `catch`, replaceError,
        replaceNil, mapError, failureType, retry, timeout, delay, debounce, distinct, prefix, first, search,
        prepend, zip, merge, combineLatest, share, buffer, events, ignore, values, notifications, session, timer,
        published, print,
    ]
}
