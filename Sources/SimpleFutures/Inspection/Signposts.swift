#if canImport(os)
public import os

extension Future {
    /// Shows in Instruments how long this future takes from now on: an interval until it has a result, is canceled, or
    /// is broken.
    ///
    ///     let signposter = OSSignposter(subsystem: "com.example.App", category: "futures")
    ///     let profile = future(method: client.loadProfile).signposted("profile", by: signposter)
    ///
    /// Each interval has its own identifier, so that intervals of the same name may overlap. Its end message is the
    /// outcome of the future, without the value or error. The future is only observed: it is not kept alive, can still
    /// be broken, and its callbacks are not delayed. If the signposter is disabled, the call does nothing.
    ///
    /// - Parameters:
    ///   - name: The name of the interval.
    ///   - signposter: Records the interval.
    /// - Returns: This future.
    @discardableResult
    public func signposted(_ name: StaticString, by signposter: OSSignposter) -> Future<T> {
        guard signposter.isEnabled else { return self }
        let interval = Interval(name, by: signposter)
        track { source, _ in interval.end(source.phase.word) }
        return self
    }
}

extension FutureStream {
    /// Returns a stream of the same elements that shows in Instruments: each element as an event, and the time until
    /// the stream finishes or is canceled as an interval.
    ///
    ///     let traced = positions.signposted("positions", by: signposter, cancelToken: token)
    ///
    /// The stream is derived like ``map(context:cancelToken:mapping:)``, without a hop: it starts with this stream's
    /// replay buffer, and counts as a subscriber. An event says whether the element is a value or a failure, without
    /// its content.
    ///
    /// - Parameters:
    ///   - name: The name of the interval and of its events.
    ///   - signposter: Records the interval and the events.
    ///   - cancelToken: When canceled, cancels the new stream.
    public func signposted(
        _ name: StaticString, by signposter: OSSignposter, cancelToken: CancelToken = .none
    ) -> FutureStream<T> {
        let interval = Interval(name, by: signposter)
        let derived: FutureStream<T> = derive(.elements, on: ImmediateContext(), under: cancelToken) { event, target in
            interval.event(event.signal == .success ? "value" : "failure")
            target.pass(event.result(as: T.self))
        }
        derived.core.subscribe([.finish, .cancellation]) { event, _ in
            interval.end(event.signal == .finish ? "finished" : "cancelled")
        }
        return derived
    }
}

/// A running interval.
private struct Interval: @unchecked Sendable {
    // Sendable: a signposter may be used from any thread; the state is used only by the thread that ends the interval.

    private let signposter: OSSignposter
    private let name: StaticString
    private let id: OSSignpostID
    private let state: OSSignpostIntervalState

    init(_ name: StaticString, by signposter: OSSignposter) {
        let id = signposter.makeSignpostID()
        self.signposter = signposter
        self.name = name
        self.id = id
        state = signposter.beginInterval(name, id: id)
    }

    func event(_ what: String) { signposter.emitEvent(name, id: id, "\(what, privacy: .public)") }

    func end(_ how: String) { signposter.endInterval(name, state, "\(how, privacy: .public)") }
}

extension FuturePhase {
    fileprivate var word: String {
        switch self {
        case .pending: "pending"
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .cancelled: "cancelled"
        case .abandoned: "broken"
        }
    }
}
#endif
