import Observation
import SimpleFutures

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
