import Observation
import SimpleFutures
import SimpleFuturesInterop

/// The app's plain values, which are not isolated.
nonisolated struct Profile: Equatable, Sendable {
    let id: Int
    var name: String

    var initial: Character? { name.first }
}

nonisolated enum AppError: Error, Equatable {
    case offline
    case unknown
}

/// A view model as in Xcode's template: without annotations, everything is on the main actor.
@Observable final class Model {
    private(set) var title = ""
    private(set) var error: AppError?
    private(set) var log: [String] = []

    func show(_ profile: Profile) {
        title = profile.name
        log.append(profile.name)
    }

    func fail(_ error: any Error) {
        self.error = error as? AppError
        log.append("\(error)")
    }

    func note(_ text: String) { log.append(text) }
}

final class Document: CustomStringConvertible {
    var title: String

    init(title: String) { self.title = title }

    var description: String { title }
}

extension StreamPromise<Profile> {
    /// Sends three elements, one of them a failure, and finishes.
    nonisolated func sendAll() {
        success(Profile(id: 1, name: "Ada"))
        failure(AppError.offline)
        success(Profile(id: 2, name: "Bob"))
        finish()
    }
}

/// A typical first view model with the library: callbacks, awaits and loops side by side.
@Observable final class SearchModel {
    private(set) var results: [Profile] = []
    private(set) var isSearching = false
    private(set) var message = ""
    private(set) var keystrokes = ""

    private let directory: Directory
    private let closed = CancelToken()

    init(directory: Directory) { self.directory = directory }

    deinit { closed.cancel() }

    // MARK: Callbacks

    func load(_ id: Int) {
        isSearching = true
        let profile = directory.profile(id)
        profile.onSuccess(cancelToken: closed, isolated: { self.show($0) })
        profile.onFailure(cancelToken: closed, isolated: { [weak self] error in self?.message = "\(error)" })
        profile.onComplete(cancelToken: closed, isolated: { [weak self] _ in self?.isSearching = false })
    }

    func followKeystrokes(_ keys: FutureStream<Character>) {
        keys.onSuccess(cancelToken: closed, isolated: { [weak self] key in self?.keystrokes.append(key) })
        keys.onFinish(cancelToken: closed, isolated: { [weak self] in self?.message = "no more keys" })
    }

    func show(_ profile: Profile) { results.append(profile) }

    // MARK: Awaits

    func reload(_ id: Int) async {
        isSearching = true
        defer { isSearching = false }
        do {
            results = [try await directory.profile(id).value]
        } catch {
            message = "\(error)"
        }
    }

    func reloadAll(_ ids: [Int]) async {
        for await (index, result) in ids.map(directory.profile).completions {
            if case .success(let profile) = result { show(profile) } else { message = "\(ids[index]) is missing" }
        }
    }

    func reloadUntilClosed(_ id: Int) async throws {
        results = [try await closed.run { try await self.directory.fetch(id) }]
    }

    // MARK: Loops

    func follow(_ profiles: FutureStream<Profile>) {
        let task = Task { [weak self] in
            for await result in profiles.results {
                guard let self else { return }
                switch result {
                case .success(let profile): show(profile)
                case .failure(let error): message = "\(error)"
                }
            }
        }
        closed.link(task)
    }

    func followNames(_ profiles: FutureStream<Profile>) {
        profiles
            .asyncMap(cancelToken: closed) { [directory] in try await directory.fetch($0.id).name }
            .onSuccess(cancelToken: closed, isolated: { [weak self] name in self?.message = name })
    }

    // MARK: For callers with completion handlers

    func search(_ name: String) -> Future<[Profile]> {
        Future { [directory] in try await directory.search(name) }
    }

    func find(_ name: String, completion: @escaping @MainActor (Profile?, (any Error)?) -> Void) {
        callback(completion) { [directory] in
            guard let first = try await directory.search(name).first else { throw AppError.unknown }
            return first
        }
    }
}

/// The model's service: some functions return futures, some are async, some take completion handlers.
final class Directory {
    let profiles: [Profile]

    init(_ profiles: [Profile]) { self.profiles = profiles }

    func profile(_ id: Int) -> Future<Profile> { Future { try await self.fetch(id) } }

    func fetch(_ id: Int) async throws -> Profile {
        await Task.yield()
        guard let profile = profiles.first(where: { $0.id == id }) else { throw AppError.unknown }
        return profile
    }

    func search(_ name: String) async throws -> [Profile] {
        await Task.yield()
        return profiles.filter { $0.name.hasPrefix(name) }
    }
}
