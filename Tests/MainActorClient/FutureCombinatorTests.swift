import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Closures of a main-actor module in combinators of futures", .watchdog)
struct FutureCombinatorTests {
    private let promise = Promise<Profile>()
    private let ada = Profile(id: 1, name: "Ada")
    private let nobody = Profile(id: 0, name: "Unknown")

    private func succeed() { Origin.backgroundQueue.call { [promise, ada] in promise.success(ada) } }
    private func fail() { Origin.backgroundQueue.call { [promise] in promise.failure(AppError.offline) } }

    @Test(arguments: ContextKind.allCases)
    func `they transform on any context`(kind: ContextKind) async throws {
        let (context, seen) = (kind.makeContext(), Promise<Int>())
        let greeting = promise.future
            .map(context: context) { $0.name }
            .flatMap(context: context) { name in
                let inner = Promise<String>()
                Task.detached { inner.success("Hello \(name)") }
                return inner.future
            }
        let wanted = promise.future.filter(context: context) { $0.id == 1 }
        let unwanted = promise.future.withFilter(context: context) { $0.name.isEmpty }
        let end = promise.future.andThen(context: context) { _ in }.materialize()
            .filter(context: context) { $0.isSuccess() }
            .asVoid()
        let thrown = promise.future.map(context: context) { _ -> Int in throw AppError.unknown }
        promise.future.forEach(context: context) { seen.success($0.id) }
        succeed()
        #expect(try await greeting.end(on: context).get() == "Hello Ada")
        #expect(try await wanted.end(on: context).get() == ada)
        #expect(await unwanted.end(on: context).error as? FuturesError == .noSuchElement)
        try await end.end(on: context).get()
        #expect(await thrown.end(on: context).error as? AppError == .unknown)
        #expect(try await seen.future.end(on: context).get() == 1)
    }

    @Test(arguments: ContextKind.allCases)
    func `they recover on any context`(kind: ContextKind) async throws {
        let context = kind.makeContext()
        let value = promise.future.recover(context: context) { [nobody] _ in nobody }
        let future = promise.future.recoverWith(context: context) { [nobody] _ in Future(value: nobody) }
        let mapped = promise.future
            .mapError(context: context) { $0 as? AppError == .offline ? AppError.unknown : $0 }
            .flatMapError(context: context) { Future(error: $0) }
        fail()
        #expect(try await value.end(on: context).get() == nobody)
        #expect(try await future.end(on: context).get() == nobody)
        #expect(await mapped.end(on: context).error as? AppError == .unknown)
    }

    // The right side is evaluated on the default context.
    @Test func `a default value or future can come from the model`() async throws {
        let model = Model()
        model.show(nobody)
        let (value, future) = (promise.future ?? nobody, promise.future ?? Future(value: nobody))
        let last = promise.future ?? Future(error: AppError.unknown) ?? nobody
        let title = promise.future.map { $0.name } ?? MainActor.assumeIsolated { model.title }
        let other = promise.future.map { $0.name } ?? MainActor.assumeIsolated { Future(value: model.title) }
        fail()
        for profile in [value, future, last] { #expect(try await profile.value == nobody) }
        for name in [title, other] { #expect(try await name.value == "Unknown") }
    }

    @Test(arguments: ContextKind.allCases)
    func `they combine many on any context`(kind: ContextKind) async throws {
        let context = kind.makeContext()
        let promises = (0..<4).map { _ in Promise<Int>() }
        let futures = promises.map { $0.future }
        let zipped = zip(futures[0], futures[1], futures[2].map { "\($0)" })
        let pair = futures[0].zip(futures[3])
        let (all, settled) = (futures.sequence(), futures.settled())
        let text = futures.fold(context: context, initial: "") { $0 + "\($1)" }
        let sum = futures.reduce(context: context) { $0 + $1 }
        let three = futures.find(context: context) { $0 == 3 }
        let (completed, succeeded) = (futures.firstCompleted(), futures.firstSucceeded())
        let doubled = [1, 2, 3].traverse(maxConcurrent: 2, context: context) { id in
            Future { complete in Origin.backgroundQueue.call { complete(.success(id * 2)) } }
        }
        for (index, origin) in Origin.allCases.prefix(4).enumerated() {
            origin.call { promises[index].success(index) }
        }
        #expect(try await zipped.value == (0, 1, "2"))
        #expect(try await pair.value == (0, 3))
        #expect(try await all.value == [0, 1, 2, 3])
        #expect(try await settled.value.map { $0.value } == [0, 1, 2, 3])
        #expect(try await text.end(on: context).get() == "0123")
        #expect(try await sum.end(on: context).get() == 6)
        #expect(try await three.end(on: context).get() == 3)
        #expect(try await (0..<4).contains(completed.value))
        #expect(try await (0..<4).contains(succeeded.value))
        #expect(try await doubled.end(on: context).get() == [2, 4, 6])
    }

    @Test func `a traversal called on the main actor maps there`() async throws {
        let catalogue = Catalogue()
        let names = [1, 2, 3].traverse { catalogue.name(of: $0) }
        let same = [1, 2, 3].traverse(mapping: catalogue.name)
        #expect(catalogue.requests == [1, 2, 3, 1, 2, 3])
        #expect(try await names.value == ["1", "2", "3"])
        #expect(try await same.value == ["1", "2", "3"])
    }

    @Test(arguments: ContextKind.allCases)
    func `they wait and retry on any context`(kind: ContextKind) async throws {
        let context = kind.makeContext()
        let attempts = Box(0)
        let late = promise.future.delay(.milliseconds(1), context: context)
        let reminder = Future.after(.milliseconds(1), "now", context: context)
        let never = Promise<Int>()
        let timedOut = never.future.timeout(.milliseconds(1), context: context)
        let answer = Future.retry(3, context: context, while: { $0 is AppError }) {
            let attempt = attempts.change {
                $0 += 1; return $0
            }
            return attempt < 3 ? Future(error: AppError.offline) : Future(value: attempt)
        }
        succeed()
        await until {
            (context as? ManualContext)?.advance(by: .milliseconds(1))
            return late.completed && reminder.completed && timedOut.completed && answer.completed
        }
        #expect(late.result?.value == ada)
        #expect(reminder.result?.value == "now")
        #expect(timedOut.result?.error as? FuturesError == .timedOut)
        #expect(answer.result?.value == 3)
    }

    @Test(arguments: ContextKind.ofMainActor)
    func `on a context of the main actor they can use a model`(kind: ContextKind) async throws {
        let (context, model, catalogue) = (kind.makeContext(), Model(), Catalogue())
        let title = promise.future
            .andThen(context: context) { profile in MainActor.assumeIsolated { model.show(profile) } }
            .map(context: context) { _ in MainActor.assumeIsolated { model.title } }
            .flatMap(context: context) { title in MainActor.assumeIsolated { Future(value: model.title + title) } }
            .filter(context: context) { title in MainActor.assumeIsolated { title == model.title + model.title } }
        let names = [1, 2].traverse(maxConcurrent: 1, context: context) { id in
            MainActor.assumeIsolated { catalogue.name(of: id) }
        }
        let sum = [Future(value: 1), Future(value: 2)].fold(context: context, initial: 0) { sum, id in
            MainActor.assumeIsolated { sum + id + catalogue.page }
        }
        let page = [Future(value: 1), Future(value: 2)].find(context: context) { id in
            MainActor.assumeIsolated { id == catalogue.page }
        }
        let retried = Future.retry(
            2, delay: .milliseconds(1), context: context,
            while: { error in
                MainActor.assumeIsolated {
                    model.fail(error)
                    return true
                }
            },
            { MainActor.assumeIsolated { model.error == nil ? Future(error: AppError.offline) : Future(value: 1) } })
        succeed()
        #expect(try await title.value == "AdaAda")
        #expect(try await names.value == ["1", "2"])
        #expect(try await sum.value == 7)
        #expect(try await page.value == 2)
        #expect(try await retried.value == 1)
    }
}

private final class Catalogue {
    let page = 2
    private(set) var requests: [Int] = []

    func name(of id: Int) -> Future<String> {
        requests.append(id)
        return Future { complete in Origin.backgroundQueue.call { complete(.success("\(id)")) } }
    }
}
