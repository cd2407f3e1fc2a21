import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Closures of a main-actor module in combinators of streams", .watchdog)
struct StreamCombinatorTests {
    private let promise = StreamPromise<Profile>()
    private let nobody = Profile(id: 0, name: "Unknown")

    private func send() { Origin.backgroundQueue.call { [promise] in promise.sendAll() } }

    @Test(arguments: ContextKind.allCases)
    func `they transform on any context`(kind: ContextKind) async {
        let (context, seen) = (kind.makeContext(), StreamPromise<Int>())
        let names = promise.stream.map(context: context) { $0.name }
        let even = promise.stream.compactMap(context: context) { $0.id.isMultiple(of: 2) ? $0.id : nil }
        let doubled = promise.stream.flatMap(context: context) { profile in
            let inner = StreamPromise<Int>()
            Task.detached { inner.success(profile.id * 2) }
            return inner.stream
        }
        let ids = promise.stream.flatMap(context: context) { Future(value: $0.id) }
        let wanted = promise.stream.filter(context: context) { $0.id == 1 }
        let unwanted = promise.stream.withFilter(context: context) { $0.name.isEmpty }
        let sums = promise.stream.andThen(context: context) { _ in }.scan(0, context: context) { $0 + $1.id }
        let thrown = promise.stream.map(context: context) { profile in
            guard profile.id == 2 else { throw AppError.unknown }
            return profile.id
        }
        promise.stream.forEach(context: context) { seen.success($0.id) }
        promise.stream.onFinish(context: context) { seen.finish() }
        send()
        #expect(await names.texts(on: context) == ["Ada", "offline", "Bob"])
        #expect(await even.texts(on: context) == ["offline", "2"])
        #expect(await Set(doubled.texts(on: context)) == ["2", "offline", "4"])
        #expect(await Set(ids.texts(on: context)) == ["1", "offline", "2"])
        #expect(await wanted.elements(on: context).map { $0.value?.id } == [1, nil])
        #expect(await unwanted.elements(on: context).allSatisfy { $0.isFailure() })
        #expect(await sums.texts(on: context) == ["1", "offline", "3"])
        #expect(await thrown.texts(on: context) == ["unknown", "offline", "2"])
        #expect(await seen.stream.values(on: context) == [1, 2])
    }

    @Test(arguments: ContextKind.allCases)
    func `they recover on any context`(kind: ContextKind) async {
        let context = kind.makeContext()
        let value = promise.stream.recover(context: context) { [nobody] _ in nobody }
        let future = promise.stream.recoverWith(context: context) { [nobody] _ in Future(value: nobody) }
        let stream = promise.stream.recoverWith(context: context) { [nobody] _ in FutureStream(value: nobody) }
        let mapped = promise.stream
            .mapError(context: context) { $0 as? AppError == .offline ? AppError.unknown : $0 }
            .map(context: context) { $0.id }
        send()
        #expect(await value.values(on: context).map { $0.id } == [1, 0, 2])
        #expect(await future.values(on: context).map { $0.id }.sorted() == [0, 1, 2])
        #expect(await stream.values(on: context).map { $0.id }.sorted() == [0, 1, 2])
        #expect(await mapped.texts(on: context) == ["1", "unknown", "2"])
    }

    @Test(arguments: ContextKind.allCases)
    func `they merge and slice streams on any context`(kind: ContextKind) async {
        let (context, first, second) = (kind.makeContext(), StreamPromise<Int>(), StreamPromise<Int>())
        let merged = first.stream.merge(second.stream)
        let function = merge(first.stream, second.stream, FutureStream { _ in })
        let (zipped, pairs) = (first.stream.zip(second.stream), zip(first.stream, second.stream))
        let (taken, dropped) = (first.stream.take(2), first.stream.drop(2))
        let distinct = first.stream.distinct(context: context)
        let parity = first.stream.distinct(context: context) { $0 % 2 == $1 % 2 }
        for (promise, numbers) in [(first, [1, 1, 2, 3]), (second, [4, 5])] {
            Origin.backgroundQueue.call {
                for number in numbers { promise.success(number) }
                promise.finish()
            }
        }
        #expect(await merged.values().sorted() == [1, 1, 2, 3, 4, 5])
        #expect(await function.values().filter { $0 > 3 } == [4, 5])
        #expect(await zipped.values().map { $0.0 * 10 + $0.1 } == [14, 15])
        #expect(await pairs.values().map { $0.0 * 10 + $0.1 } == [14, 15])
        #expect(await taken.values() == [1, 1])
        #expect(await dropped.values() == [2, 3])
        #expect(await distinct.values(on: context) == [1, 2, 3])
        #expect(await parity.values(on: context) == [1, 2, 3])
    }

    @Test(arguments: ContextKind.allCases)
    func `they wait on any context`(kind: ContextKind) async {
        let context = kind.makeContext()
        let last = promise.stream.debounce(.milliseconds(1), context: context).take(1)
        let first = promise.stream.throttle(.seconds(100), latest: false, context: context).take(1)
        Origin.backgroundQueue.call { [promise, nobody] in promise.success(nobody) }
        await until {
            (context as? ManualContext)?.advance(by: .milliseconds(1))
            return last.isFinished
        }
        #expect(await last.values() == [nobody])
        #expect(await first.values() == [nobody])
    }

    @Test(arguments: ContextKind.allCases)
    func `they convert futures to streams and back on any context`(kind: ContextKind) async throws {
        let (context, start, numbers) = (kind.makeContext(), Promise<Int>(), StreamPromise<Int>())
        let (first, none) = (Future<Int>(), Future<Int>())
        let all = start.future.flatMap(context: context) { _ in numbers.stream }
        let last = start.future.flatMap(capacity: 1, context: context) { id in
            numbers.stream.map(context: context) { $0 + id }
        }
        let failed = Future<Int>(error: AppError.unknown)
        let recovered = failed.recoverWith(context: context) { _ in numbers.stream }
        let thrown = failed.recoverWith(capacity: 1, context: context) { error -> FutureStream<Int> in throw error }
        first.completeWith(stream: numbers.stream)
        none.completeWith(stream: FutureStream { _ in })
        Origin.backgroundQueue.call {
            start.success(1)
            numbers.success(1)
            numbers.failure(AppError.offline)
            numbers.success(2)
            numbers.finish()
        }
        #expect(await all.texts(on: context) == ["1", "offline", "2"])
        #expect(await last.texts(on: context) == ["3"])
        #expect(await recovered.texts(on: context) == ["1", "offline", "2"])
        #expect(await thrown.texts(on: context) == ["unknown"])
        #expect(try await first.value == 1)
        #expect(await none.outcome.error as? FuturesError == .noSuchElement)
        let known = all.futures.filter { $0.result?.isSuccess() == true }
        #expect(try await known.sequence().value == [1, 2])
    }

    @Test(arguments: ContextKind.ofMainActor)
    func `on a context of the main actor they can use a model`(kind: ContextKind) async {
        let (context, model, start) = (kind.makeContext(), Model(), Promise<Int>())
        let profiles = start.future.flatMap(context: context) { [promise] id in
            MainActor.assumeIsolated {
                model.note("\(id)")
                return promise.stream
            }
        }
        let names =
            profiles
            .andThen(context: context) { profile in MainActor.assumeIsolated { model.show(profile) } }
            .map(context: context) { _ in MainActor.assumeIsolated { model.log.count } }
            .flatMap(context: context) { count -> Future<[String]> in
                MainActor.assumeIsolated { Future(value: Array(model.log.prefix(count))) }
            }
            .flatMap(context: context) { names -> FutureStream<[String]> in
                MainActor.assumeIsolated { FutureStream(value: names + [model.title]) }
            }
        let counts =
            names
            .filter(context: context) { names in MainActor.assumeIsolated { names.last == model.title } }
            .scan(0, context: context) { sum, names in MainActor.assumeIsolated { sum + names.count } }
            .distinct(context: context) { last, next in MainActor.assumeIsolated { last == next && model.title == "" } }
            .recover(context: context) { _ in MainActor.assumeIsolated { model.log.count } }
            .recoverWith(context: context) { _ in MainActor.assumeIsolated { Future(value: model.log.count) } }
        start.success(0)
        send()
        #expect(await counts.elements().count == 3)
        #expect(model.log == ["0", "Ada", "Bob"])
        let count = Future<Int>(error: AppError.offline).recoverWith(context: context) { error in
            MainActor.assumeIsolated {
                model.fail(error)
                return FutureStream(value: model.log.count)
            }
        }
        #expect(await count.values() == [4])
    }
}
