import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Futures, results and contexts of a main-actor module's own", .watchdog)
struct OwnTypesTests {
    private let promise = Promise<Int>()

    private func succeed() { Origin.backgroundQueue.call { [promise] in promise.success(2) } }

    @Test(arguments: ContextKind.allCases)
    func `a class that is a future has the combinators`(kind: ContextKind) async throws {
        let (context, download, model) = (kind.makeContext(), Download(), Model())
        let text =
            download
            .map(context: context) { $0 + 1 }
            .flatMap(context: context) { Download(value: $0 * 2).asFuture() }
            .map(context: context) { "\($0)" }
        let recovered = download.withFilter(context: context) { $0 > 1 }.recover(context: context) { _ in 7 }
        let numbers = download.flatMap(context: context) { FutureStream(value: $0, capacity: 1) }
        let others = Download(error: AppError.unknown).recoverWith(context: context) { _ in FutureStream(value: 2) }
        let downloads = [download, Download(value: 2), Download(context: context, dependent: Download(value: 3))]
        let sum = downloads.fold(context: context, initial: 0) { $0 + $1 }
        let (all, first) = (downloads.sequence(), downloads.firstCompleted())
        download.onSuccess { id in MainActor.assumeIsolated { model.note("\(id)") } }
        download.onFailure { error in MainActor.assumeIsolated { model.fail(error) } }
        Origin.backgroundQueue.call { download.complete(.success(1)) }
        #expect(try await text.value == "4")
        #expect(try await recovered.value == 7)
        #expect(try await sum.value == 6)
        #expect(try await all.value == [1, 2, 3])
        #expect(try await (1...3).contains(first.value))
        #expect(try await download.asyncMap { $0 }.value == 1)
        await until { numbers.count == 1 && others.count == 1 && model.log == ["1"] }
    }

    @Test func `results have the combinators, and their closures stay on the main actor`() {
        let model = Model()
        let doubled = Validation("4").map { $0 * 2 }.filter { number in
            model.note("checked")
            return number == 8
        }
        #expect(doubled.value == 8)
        #expect(Validation("four").recover { _ in model.log.count }.value == 1)
        #expect(Try { model.log.count }.value == 1)
        #expect((Validation("four") ?? model.log.count) == 1)
        #expect([Validation("1"), Validation("2")].sequence().value == [1, 2] && doubled.asTry.getOrElse(0) == 8)
        #expect(["1", "two"].map(Validation.init(text:)).sequence().error as? AppError == .unknown)
        Optional("Ada").filter { $0 != model.title }.forEach { model.note($0) }
        #expect(model.log == ["checked", "Ada"])
    }

    @Test func `a context that runs on the main actor`() async throws {
        let model = Model()
        let noted = promise.future.map(context: MainContext()) { number in
            MainActor.assumeIsolated { model.note("\(number)") }
        }
        succeed()
        try await noted.value
        let never = Promise<Int>()
        let late = never.future.timeout(.milliseconds(1), context: MainContext())
        #expect(await late.outcome.error as? FuturesError == .timedOut)
    }

    @Test func `an actor, a class with timers and constants of the app are contexts`() async throws {
        let (worker, serial) = (Worker(), TimingContext())
        let counted = promise.future.map(context: worker) { number in worker.assumeIsolated { $0.add(number) } }
        let doubled = promise.future.map(context: serial) { $0 * 2 }.delay(.milliseconds(1), context: serial)
        let named = promise.future.map(context: QueueContext.parsing) { $0 * 2 }
        succeed()
        #expect(try await counted.value == 2)
        for number in [doubled, named] { #expect(try await number.value == 4) }
    }
}

/// Without annotations: because the protocol requires `Sendable`, the compiler does not isolate the type to the main
/// actor.
private final class Download: Futurable {
    private let future = Future<Int>()

    init() {}
    init(value: Int) { future.success(value) }
    init(error: any Error) { future.failure(error) }

    var result: Try<Int>? { future.result }

    func complete(_ result: Try<Int>) { future.complete(result) }

    func onComplete(
        context: any ExecutionContext, cancelToken: CancelToken, completion: @escaping @Sendable (Try<Int>) -> Void
    ) {
        future.onComplete(context: context, cancelToken: cancelToken, completion: completion)
    }
}

/// Without annotations: the conformance is isolated to the main actor too.
private struct Validation: Tryable {
    let value: Int?
    let error: (any Error)?

    init(_ value: Int) { (self.value, error) = (value, nil) }
    init(_ error: any Error) { (value, self.error) = (nil, error) }

    init(_ text: String) {
        value = Int(text)
        error = value == nil ? AppError.unknown : nil
    }

    init(text: String) { self.init(text) }
}

private struct MainContext: ExecutionContext {
    func execute(_ task: @escaping @Sendable () -> Void) {
        Task { @MainActor in task() }
    }
}

private actor Worker: ExecutionContext {
    private var sum = 0

    func add(_ number: Int) -> Int {
        sum += number
        return sum
    }

    nonisolated func execute(_ task: @escaping @Sendable () -> Void) {
        Task { await self.run(task) }
    }

    private func run(_ task: @Sendable () -> Void) { task() }
}

private final class TimingContext: ExecutionContext {
    private let queue = DispatchQueue(label: "app.serial")

    func execute(_ task: @escaping @Sendable () -> Void) { queue.async(execute: task) }

    func execute(after delay: Duration, _ task: @escaping @Sendable () -> Void) -> Registration {
        let timer = queue.execute(after: delay, task)
        return Registration { timer.cancel() }
    }
}

extension QueueContext {
    fileprivate static let parsing = QueueContext(queue: Queue("app.parsing"))
}
