import Foundation
import Testing
@testable import TestSupport

/// Names that users of other libraries type first.
@Suite("Names of other libraries: compiler diagnostics", .compiler, .watchdog)
struct TeachingTests {
    @Test(arguments: [["5"], ["6"]])
    func `each is an error that names the call to write`(_ mode: [String]) async throws {
        let said = try await Compiler.typeCheck(source(of: calls.map(\.0)), mode: mode)
        let errors = said.filter { $0.severity == "error" }
        for (index, call) in calls.enumerated() {
            // The imports and `View` before the first, and two more lines around each.
            let own = errors.filter { $0.line == 6 + 3 * index }
            #expect(own.count == 1, "\(call.0): \(own)")
            #expect(own.first?.message.contains(call.1) == true, "\(call.0): \(own)")
        }
        #expect(errors.count == calls.count, "\(errors)")
    }

    @Test func `the core answers these without the interop import`() async throws {
        let names = "then|done|catch|sink {|get|await|whenSuccess|fulfill|reject|send|collect()".split(separator: "|")
        let own = names.compactMap { name in calls.first { $0.0.contains(".\(name)") } }
        #expect(own.count == names.count)
        let lines = own.map { "_ = \($0.0)" }.joined(separator: "\n")
        let parameters = "_ future: Future<Int>, _ promise: Promise<Int>, _ stream: FutureStream<Int>, _ error: Error"
        let said = try await Compiler.typeCheck(
            "import SimpleFutures\nfunc call(\(parameters)) throws {\n\(lines)\n}", mode: ["6"])
        for (index, call) in own.enumerated() {
            let errors = said.filter { $0.line == 3 + index && $0.severity == "error" }.map(\.message)
            #expect(errors.count == 1 && errors[0].contains(call.1), "\(call.0): \(errors)")
        }
    }

    @Test func `a stored sink is told both calls to write`() async throws {
        let stored = ["future.sink { print($0) }.store(in: &bag)", "stream.sink { print($0) }.store(in: &bag)"]
        let said = try await Compiler.typeCheck(source(of: stored), mode: ["6"])
        for line in [6, 9] {
            let messages = said.filter { $0.line == line && $0.severity == "error" }.map(\.message)
            #expect(messages.count == 2, "\(messages)")
            #expect(messages.contains { $0.contains("use `onSuccess`") }, "\(messages)")
            #expect(messages.contains { $0.contains("pass `cancelToken: token.token`") }, "\(messages)")
        }
    }

    private let calls = [
        ("future.then { $0 }", "use `map`, or `flatMap`"),
        ("future.done { print($0) }", "use `onSuccess`"),
        ("future.catch { print($0) }", "use `onFailure`"),
        ("future.sink { print($0) }", "use `onSuccess`"),
        ("future.sink(receiveValue: { print($0) })", "use `onSuccess`"),
        ("future.finally { print(1) }", "has been renamed to 'ensure(_:)'"),
        ("future.always { print(1) }", "has been renamed to 'ensure(_:)'"),
        ("future.tap { print($0) }", "use `andThen`, or `onComplete` for a result"),
        ("future.isCompleted", "has been renamed to 'completed'"),
        ("future.error", "use `result?.error`"),
        ("future.receive(on: queue).onSuccess { print($0) }", "`onSuccess(context: queue) { … }`"),
        ("future.observe(on: queue).onSuccess { print($0) }", "`onSuccess(context: queue) { … }`"),
        ("stream.receive(on: queue).onSuccess { print($0) }", "`onSuccess(context: queue) { … }`"),
        ("stream.observe(on: queue).onSuccess { print($0) }", "`onSuccess(context: queue) { … }`"),
        ("Future(result: Result<Int, Error>.success(1))", "use `future(try result.get())`"),
        ("[future].fold(0) { $0 + $1 }.onSuccess { print($0) }", "has been renamed to 'fold(initial:combine:)'"),
        ("[future].fold(0, f: { $0 + $1 })", "has been renamed to 'fold(initial:combine:)'"),
        ("promise.completeWith(future)", "use `completeWith(future: other)`"),
        ("stream.sink(receiveValue: { print($0) })", "use `onSuccess`"),
        ("stream.assign(to: \\.count, on: view)", "`onSuccess(isolated: { [weak self] in self?.name = $0 })`"),
        ("stream.assign(to: &bag)", "`onSuccess(isolated: { [weak self] in self?.name = $0 })`"),
        ("future.onSuccess { print($0) }.store(in: &bag)", "pass `cancelToken: token.token`"),
        ("stream.map { $0 + 1 }.store(in: &bag)", "pass `cancelToken: token.token`"),
        ("stream.prefix(3)", "has been renamed to 'take(_:)'"),
        ("stream.dropFirst()", "has been renamed to 'drop(_:)'"),
        ("stream.removeDuplicates()", "has been renamed to 'distinct()'"),
        ("stream.first { $0 > 3 }", "use `stream.filter { … }.first()`"),
        ("stream.merge(with: stream)", "has been renamed to 'merge(_:)'"),
        ("try future.get()", "use `try await future.value`"),
        ("try future.await()", "use `try await future.value`"),
        ("future.whenSuccess { print($0) }", "has been renamed to 'onSuccess(completion:)'"),
        ("future.whenFailure { print($0) }", "has been renamed to 'onFailure(completion:)'"),
        ("future.whenComplete { print($0) }", "has been renamed to 'onComplete(completion:)'"),
        ("promise.fulfill(1)", "has been renamed to 'success(_:)'"),
        ("promise.reject(error)", "has been renamed to 'failure(_:)'"),
        ("promise.resolve(1)", "has been renamed to 'success(_:)'"),
        ("promise.succeed(1)", "has been renamed to 'success(_:)'"),
        ("promise.fail(error)", "has been renamed to 'failure(_:)'"),
        ("promise.send(1)", "has been renamed to 'success(_:)'"),
        ("promise.complete(Result<Int, Error>.success(1))", "use `complete(Try(result))`"),
        ("promise.tryComplete(Result<Int, Error>.success(1))", "use `tryComplete(Try(result))`"),
        ("emitter.send(1)", "has been renamed to 'success(_:)'"),
        ("emitter.yield(1)", "has been renamed to 'success(_:)'"),
        ("future.retry(3).map { $0 + 1 }", "`Future.retry(3) { load() }`"),
        ("future.cancel()", "pass a `CancelToken`"),
        ("CancelToken().isCanceled", "has been renamed to 'isCancelled'"),
        ("OwnedToken().isCancelled", "use `token.isCancelled`"),
        ("stream.catch { _ in 1 }", "use `recover { error in x }`"),
        ("stream.catch { _ in FutureStream(value: 1, capacity: 1) }", "use `recover { error in x }`"),
        ("stream.handleEvents(receiveOutput: { print($0) })", "use `andThen`, whose closure gets each value"),
        ("stream.do(onNext: { print($0) })", "use `andThen`, whose closure gets each value"),
        ("FutureStream<Int> { emitter in emitter.success(1) }", "`FutureStream(capacity: 0) { emitter in … }`"),
        ("FutureStream<Int> { $0.success(1); $0.finish() }", "say how many newest elements"),
        ("stream.sink { print($0) }", "use `onSuccess`"),
        ("stream.collect()", "use `reduce"),
        ("stream.buffer(8).map { $0 + 1 }", "each consumer has its own buffer"),
        ("firstly { future }", "call the function that returns the future"),
        ("SharedWork<Int, Int> { id in Future(value: id) }", "write `{ key, token in … }`"),
        ("callback({ (_: Int?, _: DecodingError?) in }) { try await future.value }", "$1 as NSError?"),
        ("callback({ (_: Int?, _: (any Error)?) in }) { try await future.value as Int? }", "completion($0 ?? nil, $1)"),
        ("callback({ (_: Int, _: (any Error)?) in }) { try await future.value }", "completion($0 ?? 0, $1)"),
        (
            "callback({ (_: Int, _: Int, _: (any Error)?) in }) { try await (future.value, future.value) }",
            "completion($0 ?? 0, $1 ?? 0, $2)"
        ),
        ("callback({ (_: Bool) in }) { try await future.value == 1 }", "the handler takes no error"),
        ("stream.collect(3)", "use `take(count).reduce"),
        ("stream.delay(.seconds(1)).map { $0 + 1 }", "use `flatMap { Future.after"),
        ("stream.retry(3).map { $0 + 1 }", "a failure doesn't end a stream"),
        ("stream.drop { $0 < 3 }", "use `filter` with a closure that remembers"),
        ("stream.typed(as: CancellationError.self).onFinish { print(1) }", "use `stream.onFinish { … }`"),
        ("stream.typed(as: CancellationError.self).onCancel { print(1) }", "use `stream.onCancel { … }`"),
        ("stream.typed(as: CancellationError.self).first()", "use `stream.first().typed(as: Failure.self)`"),
        ("stream.typed(as: CancellationError.self).subscription()", "use `stream.subscription()`"),
        ("stream.typed(as: CancellationError.self).scan(0) { $0 + $1 }", "use `stream.scan(…) { … }`"),
        ("stream.typed(as: CancellationError.self).compactMap { $0 }", "use `stream.compactMap { … }`"),
        ("stream.typed(as: CancellationError.self).asyncMap { $0 }", "use `stream.asyncMap { … }`"),
        ("stream.last().map { $0 + 1 }", "use `reduce"),
        ("stream.subscribe(onNext: { print($0) })", "use `onSuccess`, `onFailure` and `onFinish`"),
        ("stream.drive(onNext: { print($0) })", "use `onSuccess`"),
        ("stream.startWith(0).map { $0 + 1 }", "use `FutureStream(value: x, capacity: n + 1).merge(stream)`"),
        ("stream.prepend(0).onSuccess { print($0) }", "use `FutureStream(value: x, capacity: n + 1).merge(stream)`"),
        ("stream.withLatestFrom(stream).map { $0 + $1 }", "has been renamed to 'withLatest(from:)'"),
        ("stream.distinctUntilChanged().map { $0 + 1 }", "has been renamed to 'distinct()'"),
        ("stream.skip(1)", "has been renamed to 'drop(_:)'"),
        ("stream.map { Future(value: $0) }.switchToLatest()", "use `flatMapLatest { … }`"),
        ("stream.map { $0 + 1 }.share()", "all subscribers share a stream"),
        ("stream.map { $0 + 1 }.eraseToAnyPublisher()", "the type is `FutureStream` already"),
        ("future.map { $0 + 1 }.eraseToAnyPublisher()", "the type is `Future` already"),
        ("future.tryMap { $0 + 1 }", "use `map`"),
        ("stream.tryMap { $0 + 1 }.onSuccess { print($0) }", "use `map`"),
        ("future.replaceError(with: 0)", "use `recover { _ in x }`"),
        ("stream.replaceError(with: 0).onSuccess { print($0) }", "use `recover { _ in x }`"),
        ("stream.materialize()", "a failure doesn't end a stream"),
        ("stream.combineLatest(stream) { $0 + $1 }.map { $0 + 1 }", "use `combineLatest(other).map { … }`"),
        ("stream.withLatest(from: stream) { $0 + $1 }.map { $0 + 1 }", "use `withLatest(from: other).map { … }`"),
        ("stream.concat(stream).map { $0 + 1 }", "use two loops over `values`"),
        ("stream.append(stream).map { $0 + 1 }", "use two loops over `values`"),
        ("stream.take(until: stream).map { $0 + 1 }", "cancel it when the other stream emits"),
        ("stream.take { $0 < 3 }", "use `break` in a loop over `values`"),
        ("stream.take(while: { $0 < 3 }).map { $0 + 1 }", "use `break` in a loop over `values`"),
        ("stream.prefix(while: { $0 < 3 }).map { $0 + 1 }", "use `break` in a loop over `values`"),
        ("source.yield(1)", "has been renamed to 'success(_:)'"),
        ("source.send(1)", "has been renamed to 'success(_:)'"),
        ("emitter.onNext(1)", "has been renamed to 'success(_:)'"),
        ("emitter.onError(error)", "use `failure(error)`, then `finish()`"),
        ("emitter.onCompleted()", "has been renamed to 'finish()'"),
        ("emitter.value", "use `stream.futures.last?.result?.value`"),
        ("SimpleFutures.future { (_: @escaping (Int) -> Bool) in } as Future<Int>", "the handler returns a value"),
        ("SimpleFutures.future { ask($0) } as Future<Int>", "the handler returns a value"),
        ("SimpleFutures.future { (_: @escaping (Int) -> Void) in } as Future<String>", "correct it"),
        ("Future { future } as Future<Int>", "write `Future { try await future.value }`"),
        ("Future { load($0) } as Future<Int>", "with a small f"),
        ("Future { (_: (Result<Int, Error>) -> Void) in } as Future<Int>", "with a small f"),
        ("Future { (_: (Int) -> Void) in } as Future<Int>", "with a small f"),
        ("SimpleFuturesInterop.future { try await later() } as Future<Int>", "with a capital F"),
        ("future.onSuccess(isolated: actor) { print($0) }", "`isolated:` takes the closure"),
        ("future.map { $0 + 1 }.onSuccess(isolated: view) { view.count = $0 }", "`onSuccess(isolated: { … })`"),
        ("future.onFailure(isolated: view) { _ in view.count = 0 }", "`onFailure(isolated: { … })`"),
        ("future.onComplete(isolated: view) { _ in view.count = 0 }", "`onComplete(isolated: { … })`"),
        ("future.map(isolated: view) { $0 + view.count }", "`map(isolated: { … })`"),
        ("future.flatMap(isolated: view) { _ in view.load() }", "`flatMap(isolated: { … })`"),
        ("stream.onSuccess(isolated: actor) { print($0) }", "`isolated:` takes the closure"),
        ("stream.onFailure(isolated: view) { _ in view.count = 0 }", "`onFailure(isolated: { … })`"),
        ("stream.map(isolated: view) { $0 + view.count }.onSuccess { print($0) }", "`map(isolated: { … })`"),
        ("future.onSuccess(queue) { print($0) }", "missing argument label 'context:'"),
        ("future.onFailure(QueueContext.main) { print($0) }", "missing argument label 'context:'"),
        ("future.onComplete(queue) { print($0) }", "missing argument label 'context:'"),
        ("future.map(queue) { $0 + 1 }", "missing argument label 'context:'"),
        ("future.flatMap(QueueContext.main) { Future(value: $0) }", "missing argument label 'context:'"),
        ("stream.onSuccess(queue) { print($0) }", "missing argument label 'context:'"),
        ("stream.onFailure(queue) { print($0) }", "missing argument label 'context:'"),
        ("stream.map(QueueContext.main) { $0 + 1 }", "missing argument label 'context:'"),
        ("typed.onComplete { print($0) }", "has been renamed to 'onResult(completion:)'"),
        ("typed.andThen { print($0) }", "use `onResult`, which returns the future"),
        ("typed.on(success: { print($0) }, failure: { print($0) })", "use `onResult`, or `onFailure`"),
        ("typed.filter { $0 > 1 }", "use `future.filter { … }`"),
        ("typed.asVoid()", "use `map { _ in }`"),
        ("try typed.wait()", "use `future.wait()`"),
        ("typed.isCompleted", "use `future.completed`"),
        ("typed.completed", "use `future.completed`"),
        ("typed.isCancelled", "use `future.isCancelled`"),
        ("typed.cancel(CancelToken())", "use `future.cancel(token)`"),
        ("typed.outcome", "await `result`"),
        ("typed.compactMap { $0 }", "use `future.compactMap { … }`"),
        ("typed.asyncRecover { _ in try await later() }", "use `future.asyncRecover { … }`"),
    ]

    private func source(of calls: [String]) -> String {
        let parameters =
            "_ future: Future<Int>, _ promise: Promise<Int>, _ stream: FutureStream<Int>, "
            + "_ emitter: StreamPromise<Int>, _ error: Error, _ actor: any Actor, _ view: View, "
            + "_ queue: DispatchQueue, _ typed: TypedFuture<Int, CancellationError>, "
            + "_ source: StreamEmitter<Int>, _ bag: inout [OwnedToken]"
        let functions = calls.enumerated().map { index, call in
            "@MainActor func call\(index)(\(parameters)) throws {\n    _ = \(call)\n}"
        }
        // On one line, because the tests count lines.
        let view =
            "@MainActor final class View { var count = 0; func load() -> Future<Int> { Future(value: count) } }; "
            + "func ask(_ handler: @escaping @Sendable (Int) -> Bool) {}; "
            + "func load(_ handler: @escaping @Sendable (Int?, Error?) -> Void) {}; func later() async throws -> Int { 1 }"
        return "import Dispatch\nimport SimpleFutures\nimport SimpleFuturesInterop\n\(view)\n"
            + functions.joined(separator: "\n")
    }
}
