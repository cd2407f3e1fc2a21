/// Clients whose blocks are called again and again, from elsewhere.
///
/// This one has been annotated for Swift 6.
nonisolated final class AnnotatedFeed: Sendable {
    private let origin: Origin

    init(_ origin: Origin) { self.origin = origin }

    func texts(update: @escaping @Sendable (String) -> Void) {
        origin.call {
            update("one")
            update("two")
        }
    }
    func plain(update: @escaping @Sendable (String, (any Error)?) -> Void) {
        origin.call {
            update("one", nil)
            update("", AppError.offline)
            update("two", nil)
        }
    }
    func optional(update: @escaping @Sendable (String?, (any Error)?) -> Void) {
        origin.call {
            update("one", nil)
            update(nil, AppError.offline)
            update("two", nil)
        }
    }
    func alarms(update: @escaping @Sendable ((any Error)?) -> Void) {
        origin.call {
            update(nil)
            update(AppError.offline)
        }
    }
    func ticks(update: @escaping @Sendable () -> Void) {
        origin.call {
            update()
            update()
        }
    }
    func results(update: @escaping @Sendable (Result<String, AppError>) -> Void) {
        origin.call {
            update(.success("one"))
            update(.failure(.offline))
            update(.success("two"))
        }
    }
    func responses(update: @escaping @Sendable (String?, Int?, (any Error)?) -> Void) {
        origin.call {
            update("one", 1, nil)
            update(nil, nil, AppError.offline)
            update("two", 2, nil)
        }
    }
    func watch(
        _ id: Int, value: @escaping @Sendable (String) -> Void, failure: @escaping @Sendable (any Error) -> Void
    ) {
        origin.call {
            value("one")
            failure(AppError.offline)
            value("two")
        }
    }
}

/// This one has not: its blocks are plain functions, which it sends to other threads nonetheless.
nonisolated final class UnannotatedFeed {
    private let feed: AnnotatedFeed

    init(_ origin: Origin) { feed = AnnotatedFeed(origin) }

    func texts(update: @escaping (String) -> Void) {
        nonisolated(unsafe) let update = update
        feed.texts { update($0) }
    }
    func plain(update: @escaping (String, (any Error)?) -> Void) {
        nonisolated(unsafe) let update = update
        feed.plain { update($0, $1) }
    }
    func optional(update: @escaping (String?, (any Error)?) -> Void) {
        nonisolated(unsafe) let update = update
        feed.optional { update($0, $1) }
    }
    func alarms(update: @escaping ((any Error)?) -> Void) {
        nonisolated(unsafe) let update = update
        feed.alarms { update($0) }
    }
    func ticks(update: @escaping () -> Void) {
        nonisolated(unsafe) let update = update
        feed.ticks { update() }
    }
    func results(update: @escaping (Result<String, AppError>) -> Void) {
        nonisolated(unsafe) let update = update
        feed.results { update($0) }
    }
    func responses(update: @escaping (String?, Int?, (any Error)?) -> Void) {
        nonisolated(unsafe) let update = update
        feed.responses { update($0, $1, $2) }
    }
    func watch(_ id: Int, value: @escaping (String) -> Void, failure: @escaping (any Error) -> Void) {
        nonisolated(unsafe) let (value, failure) = (value, failure)
        feed.watch(id, value: { value($0) }, failure: { failure($0) })
    }
}

/// This one is the module's own, and with it on the main actor; it works elsewhere.
final class MainActorFeed {
    private let feed: AnnotatedFeed
    private(set) var requests = 0

    init(_ origin: Origin) { feed = AnnotatedFeed(origin) }

    func texts(update: @escaping @Sendable (String) -> Void) {
        requests += 1
        feed.texts(update: update)
    }
    func optional(update: @escaping @Sendable (String?, (any Error)?) -> Void) {
        requests += 1
        feed.optional(update: update)
    }
    /// Calls back on the main actor.
    func home(update: @escaping @MainActor (String) -> Void) {
        requests += 1
        feed.texts { text in Task { @MainActor in update(text) } }
    }
    /// Calls back on the main actor, before it returns, with a plain function.
    func cached(update: (String) -> Void) {
        requests += 1
        update("one")
        update("two")
    }
}
