public import SimpleFutures

extension Future {
    /// The value.
    ///
    /// Waits until there is one.
    ///
    ///     let profile = try await client.profile().value
    ///
    /// A completed future returns at once, without suspension, even in a canceled task. A caller on an actor stays on
    /// it and resumes there.
    ///
    /// **Canceling the task cancels only the wait.** If the task is canceled while the future is pending,
    /// `CancellationError` is thrown at once and nothing remains registered; the future and its other waiters continue.
    /// If cancellation and completion race, the outcome is one of the two. To stop the work as well, use
    /// ``value(cancelling:onCancel:)``.
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

    /// The result.
    ///
    /// Waits until there is one, and does not throw.
    ///
    /// It waits like ``value``. If a token cancels the future, or the task is canceled, the result is
    /// `.failure(CancellationError())`.
    @inlinable
    public var outcome: Try<T> {
        get async {
            if phase == .pending { await settled() }
            return settledResult(as: T.self) ?? .failure(taskCancellation())
        }
    }

    /// Waits for the value; if the task is canceled in the meantime, cancels a token.
    ///
    ///     let token = CancelToken()
    ///     let page = try await client.load(url, cancelToken: token).value(cancelling: token)
    ///
    /// A completed future returns at once and does not cancel the token, even in a canceled task. A result that arrived
    /// before the cancellation is returned, even if the task has not resumed yet. Completion does not cancel the token.
    ///
    /// The token is canceled in the runtime's cancellation handler: its state changes at once; its registrations and
    /// handlers are processed on a Dispatch thread right afterwards.
    ///
    /// - Parameters:
    ///   - token: The token to cancel: usually the token that stops the work.
    ///   - response: Whether to keep waiting for the producer's own result, or to throw at once.
    /// - Throws: Like ``value``. With ``TaskCancellationResponse/wait``, `CancellationError` is thrown only if the
    ///   future was canceled or failed with it.
    @inlinable
    public func value(
        cancelling token: CancelToken, onCancel response: TaskCancellationResponse = .wait
    ) async throws -> T {
        guard phase == .pending else { return try resultAfterWaiting() }
        // If the cancellation came first, the producer's response goes only to other observers, even if it arrives
        // before this task has resumed.
        guard await settled(cancelling: token, abandons: response == .abandon) else { throw taskCancellation() }
        return try resultAfterWaiting()
    }

    /// Waits for the result, without throwing; if the task is canceled in the meantime, cancels a token.
    ///
    ///     let end = await profile.outcome(cancelling: token)    // stopped, too, it has an end
    ///
    /// It waits like ``value(cancelling:onCancel:)``. If a token cancels the future, or the task is canceled with
    /// `abandon`, the result is `.failure(CancellationError())`.
    ///
    /// - Parameters:
    ///   - token: The token to cancel: usually the token that stops the work.
    ///   - response: Whether to keep waiting for the producer's own result, or to return at once.
    @inlinable
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

/// Decides how a wait or a call ends after a cancellation, which also cancels the work behind it.
public enum TaskCancellationResponse: Sendable {
    /// Keeps waiting for the producer's own result: a value that was faster, the error of a stopped request, or
    /// `CancellationError` if the future was canceled.
    case wait
    /// Ends at once, with `CancellationError` or as a canceled future.
    ///
    /// The producer's own result goes only to the other observers.
    case abandon
}
