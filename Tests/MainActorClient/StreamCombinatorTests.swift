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
            kind.check()
            let inner = StreamPromise<Int>()
            Task.detached { inner.success(profile.id * 2) }
            return inner.stream
        }
        let ids = promise.stream.flatMap(context: context) { Future(value: $0.id) }
        let wanted = promise.stream.filter(context: context) { profile in
            kind.check()
            return profile.id == 1
        }
        let unwanted = promise.stream.withFilter(context: context) { $0.name.isEmpty }
        let sums = promise.stream
            .andThen(context: context) { _ in kind.check() }
            .scan(0, context: context) { $0 + $1.id }
        let thrown = promise.stream.map(context: context) { profile in
            kind.check()
            guard profile.id == 2 else { throw AppError.unknown }
            return profile.id
        }
        promise.stream.forEach(context: context) { seen.success($0.id) }
        promise.stream.onFinish(context: context) { seen.finish() }
        send()
        #expect(await names.texts() == ["Ada", "offline", "Bob"])
        #expect(await even.texts() == ["offline", "2"])
        #expect(await Set(doubled.texts()) == ["2", "offline", "4"])
        #expect(await Set(ids.texts()) == ["1", "offline", "2"])
        #expect(await wanted.elements().map { $0.value?.id } == [1, nil])
        #expect(await unwanted.elements().allSatisfy { $0.isFailure() })
        #expect(await sums.texts() == ["1", "offline", "3"])
        #expect(await thrown.texts() == ["unknown", "offline", "2"])
        #expect(await seen.stream.values() == [1, 2])
    }

    @Test(arguments: ContextKind.allCases)
    func `they recover on any context`(kind: ContextKind) async {
        let context = kind.makeContext()
        let value = promise.stream.recover(context: context) { [nobody] _ in
            kind.check()
            return nobody
        }
        let future = promise.stream.recoverWith(context: context) { [nobody] _ in Future(value: nobody) }
        let stream = promise.stream.recoverWith(context: context) { [nobody] _ in FutureStream(value: nobody) }
        let mapped = promise.stream
            .mapError(context: context) { $0 as? AppError == .offline ? AppError.unknown : $0 }
            .map(context: context) { $0.id }
        send()
        #expect(await value.values().map { $0.id } == [1, 0, 2])
        for recovered in [future, stream] {
            #expect(await recovered.values().map { $0.id }.sorted() == [0, 1, 2])
        }
        #expect(await mapped.texts() == ["1", "unknown", "2"])
    }

    @Test(arguments: ContextKind.allCases)
    func `they compare and wait on any context`(kind: ContextKind) async {
        let (context, numbers) = (kind.makeContext(), StreamPromise<Int>())
        let distinct = numbers.stream.distinct(context: context)
        let parity = numbers.stream.distinct(context: context) { $0 % 2 == $1 % 2 }
        let last = promise.stream.debounce(.milliseconds(1), context: context).take(1)
        let first = promise.stream.throttle(.seconds(100), latest: false, context: context).take(1)
        Origin.backgroundQueue.call { [promise, nobody] in
            for number in [1, 1, 3, 4] { numbers.success(number) }
            numbers.finish()
            promise.success(nobody)
        }
        #expect(await distinct.values() == [1, 3, 4])
        #expect(await parity.values() == [1, 4])
        for one in [last, first] { #expect(await one.values() == [nobody]) }
    }

    @Test(arguments: ContextKind.allCases)
    func `they convert futures to streams and back on any context`(kind: ContextKind) async throws {
        let (context, start, numbers) = (kind.makeContext(), Promise<Int>(), StreamPromise<Int>())
        let (first, none) = (Future<Int>(), Future<Int>())
        let all = start.future.flatMap(context: context) { _ in
            kind.check()
            return numbers.stream
        }
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
        for stream in [all, recovered] { #expect(await stream.texts() == ["1", "offline", "2"]) }
        #expect(await last.texts() == ["3"])
        #expect(await thrown.texts() == ["unknown"])
        #expect(try await first.value == 1)
        #expect(await none.outcome.error as? FuturesError == .noSuchElement)
        let known = all.futures.filter { $0.result?.isSuccess() == true }
        #expect(try await known.sequence().value == [1, 2])
    }
}
