import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Closures of a main-actor module in combinators of futures", .watchdog)
struct FutureCombinatorTests {
    private let promise = Promise<Profile>()
    private let failing = Promise<Profile>()
    private let ada = Profile(id: 1, name: "Ada")
    private let nobody = Profile(id: 0, name: "Unknown")

    private func complete() {
        Origin.backgroundQueue.call { [promise, failing, ada] in
            promise.success(ada)
            failing.failure(AppError.offline)
        }
    }

    @Test(arguments: ContextKind.allCases)
    func `they transform and recover on any context`(kind: ContextKind) async throws {
        let (context, seen) = (kind.makeContext(), Promise<Int>())
        let greeting = promise.future
            .map(context: context) { $0.name }
            .flatMap(context: context) { name in
                kind.check()
                let inner = Promise<String>()
                Task.detached { inner.success("Hello \(name)") }
                return inner.future
            }
        let wanted = promise.future.filter(context: context) { profile in
            kind.check()
            return profile.id == 1
        }
        let unwanted = promise.future.withFilter(context: context) { $0.name.isEmpty }
        let end = promise.future.andThen(context: context) { _ in kind.check() }.materialize()
            .filter(context: context) { $0.isSuccess() }
            .asVoid()
        let thrown = promise.future.map(context: context) { _ -> Int in
            kind.check()
            throw AppError.unknown
        }
        promise.future.forEach(context: context) { seen.success($0.id) }
        let value = failing.future.recover(context: context) { [nobody] _ in
            kind.check()
            return nobody
        }
        let future = failing.future.recoverWith(context: context) { [nobody] _ in Future(value: nobody) }
        let mapped = failing.future
            .mapError(context: context) { $0 as? AppError == .offline ? AppError.unknown : $0 }
            .flatMapError(context: context) { Future(error: $0) }
        complete()
        #expect(try await greeting.value == "Hello Ada")
        #expect(try await wanted.value == ada)
        #expect(await unwanted.outcome.error as? FuturesError == .noSuchElement)
        try await end.value
        #expect(await thrown.outcome.error as? AppError == .unknown)
        #expect(try await seen.future.value == 1)
        for recovered in [value, future] { #expect(try await recovered.value == nobody) }
        #expect(await mapped.outcome.error as? AppError == .unknown)
    }

    // The right side is evaluated on the default context.
    @Test func `a default value or future can come from the model`() async throws {
        let model = Model()
        model.show(nobody)
        let (value, future) = (failing.future ?? nobody, failing.future ?? Future(value: nobody))
        let last = failing.future ?? Future(error: AppError.unknown) ?? nobody
        let title = failing.future.map { $0.name } ?? MainActor.assumeIsolated { model.title }
        let other = failing.future.map { $0.name } ?? MainActor.assumeIsolated { Future(value: model.title) }
        complete()
        for profile in [value, future, last] { #expect(try await profile.value == nobody) }
        for name in [title, other] { #expect(try await name.value == "Unknown") }
    }

    @Test(arguments: ContextKind.allCases)
    func `they combine many on any context`(kind: ContextKind) async throws {
        let context = kind.makeContext()
        let promises = (0..<4).map { _ in Promise<Int>() }
        let futures = promises.map { $0.future }
        let text = futures.fold(context: context, initial: "") { $0 + "\($1)" }
        let sum = futures.reduce(context: context) { $0 + $1 }
        let three = futures.find(context: context) { $0 == 3 }
        let doubled = [1, 2, 3].traverse(maxConcurrent: 2, context: context) { id in
            kind.check()
            return Future { complete in Origin.backgroundQueue.call { complete(.success(id * 2)) } }
        }
        for (index, origin) in Origin.allCases.prefix(4).enumerated() {
            origin.call { promises[index].success(index) }
        }
        #expect(try await text.value == "0123")
        #expect(try await sum.value == 6)
        #expect(try await three.value == 3)
        #expect(try await doubled.value == [2, 4, 6])
    }

    @Test(arguments: ContextKind.allCases)
    func `they wait and retry on any context`(kind: ContextKind) async throws {
        let (context, clock, attempts) = (kind.makeContext(), ManualContext(), Box(0))
        let late = promise.future.delay(.milliseconds(1), context: context)
        let reminder = Future.after(.milliseconds(1), "now", context: context)
        let never = Promise<Int>()
        let timedOut = never.future.timeout(.milliseconds(1), context: context)
        let later = promise.future.map(context: clock) { $0.name }.delay(.seconds(1), context: clock)
        let answer = Future.retry(3, context: context, while: { $0 is AppError }) {
            kind.check()
            let attempt = attempts.change {
                $0 += 1
                return $0
            }
            return attempt < 3 ? Future(error: AppError.offline) : Future(value: attempt)
        }
        complete()
        await until {
            clock.advance(by: .seconds(1))
            return late.completed && later.completed && reminder.completed && timedOut.completed && answer.completed
        }
        #expect(late.result?.value == ada && later.result?.value == "Ada")
        #expect(reminder.result?.value == "now")
        #expect(timedOut.result?.error as? FuturesError == .timedOut)
        #expect(answer.result?.value == 3)
    }

    @Test func `a traversal called on the main actor maps there`() async throws {
        let catalogue = Catalogue()
        let names = [1, 2, 3].traverse { catalogue.name(of: $0) }
        let same = [1, 2, 3].traverse(mapping: catalogue.name)
        #expect(catalogue.requests == [1, 2, 3, 1, 2, 3])
        for names in [names, same] { #expect(try await names.value == ["1", "2", "3"]) }
    }
}

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

private final class Catalogue {
    private(set) var requests: [Int] = []

    func name(of id: Int) -> Future<String> {
        requests.append(id)
        return Future { complete in Origin.backgroundQueue.call { complete(.success("\(id)")) } }
    }
}
