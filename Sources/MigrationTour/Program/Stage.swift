import SimpleFutures
import SimpleFuturesInterop

/// The stages of a migration from completion handlers to async/await.
enum Stage: Int, CaseIterable, Sendable {
    case callbacks = 1, futures, awaited, structured

    /// Does the whole job as this stage does it.
    ///
    /// Ctrl-C cancels the token.
    func rows(for files: [InputFile], limits: Limits, until token: CancelToken) async throws -> [Row] {
        switch self {
        case .callbacks:
            await withCheckedContinuation { continuation in
                let request = Stage1Callbacks(limits: limits).rows(for: files) { continuation.resume(returning: $0) }
                token.onCancel { request.cancel() }
            }
        case .futures: try await Stage2Futures(limits: limits).rows(for: files, until: token).value
        case .awaited: try await token.run { try await Stage3Await(limits: limits).rows(for: files) }
        case .structured: try await token.run { await Stage4Structured(limits: limits).rows(for: files) }
        }
    }
}
