import Observation
import SimpleFutures

/// A view model that follows a stream.
@Observable final class FeedModel {
    private(set) var title = ""
    private(set) var log: [String] = []
    private(set) var hasEnded = false

    func show(_ profile: Profile) {
        title = profile.name
        log.append(profile.name)
    }

    func fail(_ error: any Error) { log.append("\(error)") }

    func end(_ how: String) {
        log.append(how)
        hasEnded = true
    }

    /// On a context of the main actor.
    func follow(_ profiles: FutureStream<Profile>, on context: any ExecutionContext, until token: CancelToken = .none) {
        profiles.onSuccess(context: context, cancelToken: token) { profile in
            MainActor.assumeIsolated { self.show(profile) }
        }
        profiles.onFailure(context: context, cancelToken: token) { [weak self] error in
            MainActor.assumeIsolated { self?.fail(error) }
        }
        profiles.onFinish(context: context, cancelToken: token) { MainActor.assumeIsolated { self.end("finished") } }
        profiles.onCancel(context: context) { MainActor.assumeIsolated { self.end("cancelled") } }
    }

    /// The same with one callback for all elements.
    func followResults(_ profiles: FutureStream<Profile>, on context: any ExecutionContext) {
        profiles.onComplete(context: context) { result in
            MainActor.assumeIsolated {
                switch result {
                case .success(let profile): self.show(profile)
                case .failure(let error): self.fail(error)
                }
            }
        }
        profiles.onFinish(context: context) { [weak self] in MainActor.assumeIsolated { self?.end("finished") } }
    }

    /// On any context.
    ///
    /// Of the tasks none waits for another, so the order is not kept.
    func followByTask(_ profiles: FutureStream<Profile>, on context: any ExecutionContext) {
        profiles.onSuccess(context: context) { profile in Task { @MainActor in self.show(profile) } }
        profiles.onFailure(context: context) { error in Task { @MainActor in self.fail(error) } }
    }
}
