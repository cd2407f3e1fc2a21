import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Types of a main-actor module that are futures", .watchdog)
struct FuturableTests {
    @Test(arguments: Place.allCases, Origin.allCases)
    func `they have the combinators`(place: Place, origin: Origin) async throws {
        let context = place.makeContext()
        let download = Download()
        let text =
            download
            .map(context: context) { $0 + 1 }
            .flatMap(context: context) { Download(value: $0 * 2).asFuture() }
            .map(context: context) { "\($0)" }
        let recovered = download.withFilter(context: context) { $0 > 1 }.recover(context: context) { _ in 7 }
        origin.call { download.complete(.success(1)) }
        #expect(try await text.end(on: context).get() == "4")
        #expect(try await recovered.end(on: context).get() == 7)
    }

    @Test(arguments: Place.ofMainActor, Origin.allCases)
    func `their callbacks may change a model`(place: Place, origin: Origin) async {
        let download = Download()
        let model = ProfileModel()
        download.onSuccess(context: place.makeContext()) { id in
            MainActor.assumeIsolated { model.show(Profile(id: id, name: "Ada")) }
        }
        download.onFailure(context: place.makeContext()) { error in MainActor.assumeIsolated { model.fail(error) } }
        origin.call { download.complete(.success(1)) }
        await until { model.title == "Ada" }
        #expect(model.error == nil)
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `sequences of them are gathered`(place: Place, origin: Origin) async throws {
        let context = place.makeContext()
        let downloads = [Download(), Download(value: 2), Download(context: context, dependent: Download(value: 3))]
        let sum = downloads.fold(context: context, initial: 0) { $0 + $1 }
        let (all, first) = (downloads.sequence(), downloads.firstCompleted())
        origin.call { downloads[0].complete(.success(1)) }
        #expect(try await sum.end(on: context).get() == 6)
        #expect(try await all.value == [1, 2, 3])
        #expect(try await first.value == 2)
    }

    @Test(arguments: Origin.allCases)
    func `one with a future inside, too`(origin: Origin) async throws {
        let (upload, token) = (Upload(), CancelToken())
        let failed = Upload(error: AppError.offline).asFuture()
        let done = upload.andThen { _ in }.asVoid()
        let cancelled = upload.map(cancelToken: token) { $0 }
        token.cancel()
        origin.call { upload.complete(.success(1)) }
        try await done.value
        #expect(await failed.outcome.error as? AppError == .offline)
        #expect(cancelled.isCancelled)
    }
}

/// Nothing is annotated: as the protocol asks for `Sendable`, the compiler leaves the type off the main actor.
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

private struct Upload: Futurable {
    private let future: Future<Int>

    init() { future = Future() }
    init(value: Int) { future = Future(value: value) }
    init(error: any Error) { future = Future(error: error) }

    var result: Try<Int>? { future.result }

    func complete(_ result: Try<Int>) { future.complete(result) }

    func onComplete(
        context: any ExecutionContext, cancelToken: CancelToken, completion: @escaping @Sendable (Try<Int>) -> Void
    ) {
        future.onComplete(context: context, cancelToken: cancelToken, completion: completion)
    }

    func asFuture(cancelToken: CancelToken) -> Future<Int> { future }
}
