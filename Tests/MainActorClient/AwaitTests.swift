import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Awaiting in a main-actor module", .watchdog)
struct AwaitTests {
    private let promise = Promise<Profile>()
    private let ada = Profile(id: 1, name: "Ada")

    @Test(arguments: Origin.allCases)
    func `a view model resumes on the main actor after an await, with a value or an error`(
        origin: Origin
    ) async {
        let (model, failing) = (AwaitingModel(), Promise<Profile>())
        origin.call { [promise, ada] in promise.success(ada) }
        await model.load(promise.future)
        #expect(model.title == "Ada" && model.error == nil)
        origin.call { failing.failure(AppError.offline) }
        await model.load(failing.future)
        #expect(model.error == .offline)
    }

    @Test(arguments: Origin.allCases)
    func `every kind of await resumes on the main actor`(origin: Origin) async throws {
        let model = AwaitingModel()
        let promises = (0..<4).map { _ in Promise<Int>() }
        origin.call { promises[0].success(0) }
        model.count += try await promises[0].future.value
        origin.call { promises[1].success(1) }
        model.count += await promises[1].future.outcome.value ?? 0
        origin.call { promises[2].success(2) }
        model.count += try await promises[2].future.value(cancelling: CancelToken())
        origin.call { promises[3].success(3) }
        model.count += try await promises[3].future.value(cancelling: CancelToken(), onCancel: .abandon)
        #expect(model.count == 6)
    }

    @Test func `child tasks can await off the main actor`() async throws {
        let (first, second) = (Promise<Int>(), Promise<Int>())
        async let sum = first.future.value + second.future.value
        Task.detached { first.success(1) }
        second.success(2)
        #expect(try await sum == 3)
        let total = try await withThrowingTaskGroup(of: Int.self) { group in
            for future in [first.future, second.future] { group.addTask { try await future.value } }
            var total = 0
            for try await number in group { total += number }
            return total
        }
        #expect(total == 3)
        #expect(try await Task.detached { try await second.future.value }.value == 2)
    }

    @Test(arguments: Origin.allCases)
    func `functions that leave the main actor can await`(origin: Origin) async throws {
        origin.call { [promise, ada] in promise.success(ada) }
        #expect(try await name(of: promise.future) == "Ada")
        #expect(try await nameOffTheMainActor(of: promise.future) == "Ada")
    }

    nonisolated private func name(of profile: Future<Profile>) async throws -> String { try await profile.value.name }
    @concurrent private func nameOffTheMainActor(of profile: Future<Profile>) async throws -> String {
        try await profile.value.name
    }

    @Test(arguments: [nil, .wait, .abandon] as [TaskCancellationResponse?])
    func `a canceled task ends its wait on the main actor`(response: TaskCancellationResponse?) async {
        let (model, token) = (AwaitingModel(), CancelToken())
        token.onCancel { [promise] in if response == .wait { promise.failure(AppError.unknown) } }
        let task = Task {
            guard let response else { return await model.load(promise.future) }
            await model.load(promise.future, cancelling: token, onCancel: response)
        }
        await until { model.isLoading }
        task.cancel()
        await task.value
        #expect(model.isCancelled == (response != .wait))
        #expect(model.error == (response == .wait ? .unknown : nil))
        #expect(promise.completed == (response == .wait))
        #expect(token.isCancelled == (response != nil))
    }
}

private final class AwaitingModel {
    private(set) var title = ""
    private(set) var error: AppError?
    private(set) var isCancelled = false
    private(set) var isLoading = false
    var count = 0

    func load(_ profile: Future<Profile>) async {
        await load { try await profile.value }
    }

    func load(
        _ profile: Future<Profile>, cancelling token: CancelToken, onCancel response: TaskCancellationResponse
    ) async {
        await load { try await profile.value(cancelling: token, onCancel: response) }
    }

    private func load(_ profile: () async throws -> Profile) async {
        isLoading = true
        defer { isLoading = false }
        do {
            title = try await profile().name
        } catch is CancellationError {
            isCancelled = true
        } catch {
            self.error = error as? AppError
        }
    }
}
