public import SimpleFutures

extension Future {
    /// The value, as soon as there is one.
    ///
    ///     let profile = try await client.profile().value
    ///
    /// A completed future answers at once, without suspension, even in a canceled task. From an actor the caller stays
    /// on it, and comes back to it.
    ///
    /// **Canceling the task cancels the wait only.** If the future is pending and the task is canceled, before or
    /// while it waits, `CancellationError` is thrown at once and nothing of the wait remains registered; the future and
    /// everybody else who waits for it go on. If cancellation and completion race, the answer is one of the two. To
    /// stop the work as well use ``value(cancelling:onCancel:)``.
    ///
    /// - Throws: The error of a failed future; `CancellationError` if the future was canceled by a token or the task
    ///   is canceled; `FuturesError.brokenPromise` if everything that could complete it was released.
    @inlinable
    public var value: T {
        get async throws {
            if phase == .pending { await settled() }
            return try resultAfterWaiting()
        }
    }

    /// The result, as soon as there is one, without throwing.
    ///
    /// It waits as ``value`` does. If the future was canceled, or the wait by its task, it is
    /// `.failure(CancellationError())`.
    @inlinable
    public var outcome: Try<T> {
        get async {
            if phase == .pending { await settled() }
            return settledResult(as: T.self) ?? .failure(taskCancellation())
        }
    }

    /// The value, as soon as there is one; if the task is canceled meanwhile, so is a token.
    ///
    ///     let token = CancelToken()
    ///     let page = try await browser.load(url, cancelToken: token).value(cancelling: token)
    ///
    /// A future that is completed already answers at once and leaves the token alone, even in a canceled task. A
    /// result that was there before the task was canceled is returned, even if the task has not yet got round to it.
    /// The token is not canceled by completion.
    ///
    /// The token is canceled inside the runtime's cancellation handler: its state changes at once; what it detaches
    /// and its handlers run on a thread of Dispatch right afterwards.
    ///
    /// - Parameters:
    ///   - token: What to cancel: usually the one whose handlers stop the work.
    ///   - response: Whether to wait on for the producer's own answer, or to throw at once.
    /// - Throws: As ``value``. With ``TaskCancellationResponse/wait``, `CancellationError` is thrown only if the future
    ///   was canceled or failed with it.
    public func value(
        cancelling token: CancelToken, onCancel response: TaskCancellationResponse = .wait
    ) async throws -> T {
        guard phase == .pending else { return try resultAfterWaiting() }
        // If the cancellation came first, the producer's answer to it goes to the other observers, even if it is there
        // before this task has got round to it.
        guard await settled(cancelling: token, abandons: response == .abandon) else { throw taskCancellation() }
        return try resultAfterWaiting()
    }

    /// The result, as soon as there is one, without throwing; if the task is canceled meanwhile, so is a token.
    ///
    ///     let end = await download.outcome(cancelling: token)    // stopped, too, it has an end
    ///
    /// It waits as ``value(cancelling:onCancel:)`` does. If the future was canceled, or the wait by its task, it is
    /// `.failure(CancellationError())`.
    ///
    /// - Parameters:
    ///   - token: What to cancel: usually the one whose handlers stop the work.
    ///   - response: Whether to wait on for the producer's own answer, or to return at once.
    public func outcome(
        cancelling token: CancelToken, onCancel response: TaskCancellationResponse = .wait
    ) async -> Try<T> {
        do {
            return .success(try await value(cancelling: token, onCancel: response))
        } catch {
            return .failure(error)
        }
    }

    @inlinable
    func resultAfterWaiting() throws -> T {
        guard let result = settledResult(as: T.self) else { throw taskCancellation() }
        return try result.get()
    }
}

/// What comes of a wait, or of a call, that is canceled, after that has canceled what is behind it.
public enum TaskCancellationResponse: Sendable {
    /// Waits on for the producer's own answer: a value that was faster, the error of a request that was stopped, or
    /// `CancellationError` if the future was detached.
    case wait
    /// Ends at once, with `CancellationError` or as a canceled future.
    ///
    /// Whatever the producer answers goes to the other
    /// observers alone.
    case abandon
}
