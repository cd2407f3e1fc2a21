/// The model of the app: plain values, which leave the main actor.
nonisolated struct Profile: Equatable, Sendable {
    let id: Int
    var name: String

    var initial: Character? { name.first }
}

nonisolated enum AppError: Error, Equatable {
    case offline
    case unknown
}
