import Observation
import SimpleFutures

/// A view model as Xcode's template has it: nothing is annotated, everything is on the main actor.
///
/// The closures of callbacks belong to no actor. A context that leads to the main queue makes them right about where
/// they run; for others there is a task.
@Observable final class ProfileModel {
    private(set) var title = ""
    private(set) var error: AppError?
    private(set) var isLoading = false
    private(set) var log: [String] = []

    func show(_ profile: Profile) {
        title = profile.name
        log.append("shown")
    }

    func fail(_ error: any Error) {
        self.error = error as? AppError
        log.append("failed")
    }

    func finish(_ result: Try<Profile>) {
        isLoading = false
        log.append(result.isSuccess() ? "finished" : "finished in vain")
    }

    /// On a context of the main actor.
    func load(_ profile: Future<Profile>, on context: any ExecutionContext, until token: CancelToken = .none) {
        isLoading = true
        profile.onSuccess(context: context, cancelToken: token) { profile in
            MainActor.assumeIsolated { self.show(profile) }
        }
        profile.onFailure(context: context, cancelToken: token) { [weak self] error in
            MainActor.assumeIsolated { self?.fail(error) }
        }
        profile.onComplete(context: context, cancelToken: token) { result in
            MainActor.assumeIsolated { self.finish(result) }
        }
        profile.onCancel(context: context) { MainActor.assumeIsolated { self.log.append("cancelled") } }
    }

    /// The same with one callback.
    func loadAtOnce(_ profile: Future<Profile>, on context: any ExecutionContext) {
        isLoading = true
        profile.on(
            context: context,
            success: { profile in MainActor.assumeIsolated { self.show(profile) } },
            failure: { error in MainActor.assumeIsolated { self.fail(error) } },
            completion: { result in MainActor.assumeIsolated { self.finish(result) } })
    }

    /// On any context.
    func loadByTask(_ profile: Future<Profile>, on context: any ExecutionContext) {
        isLoading = true
        profile.onComplete(context: context) { result in
            Task { @MainActor in
                switch result {
                case .success(let profile): self.show(profile)
                case .failure(let error): self.fail(error)
                }
                self.finish(result)
            }
        }
    }
}
