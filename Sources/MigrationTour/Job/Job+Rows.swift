import SimpleFutures
import SimpleFuturesInterop

/// The rows of all files in their order, of which `limits.jobs` are in flight at a time.
///
/// It does not fail. A future does, if it was stopped before its task has begun; then no file has figures.
extension Job {
    func rows(for files: [InputFile], completion: @escaping @Sendable ([Row]) -> Void) -> LegacyRequest {
        switch stages.rows {
        case .callbacks:
            return Stage1Callbacks(job: self).rows(for: files, completion: completion)
        case .futures, .awaited:
            let token = CancelToken()
            rows(for: files, until: token).onSuccess(completion: completion)
            return LegacyRequest(cancelling: token)
        case .structured:
            return Stage4Structured(job: self).rows(for: files, completion: completion)
        }
    }

    func rows(for files: [InputFile], until token: CancelToken) -> Future<[Row]> {
        switch stages.rows {
        case .callbacks:
            future(cancelToken: token, onCancel: .wait) { rows(for: files, completion: $0).handle }
                .recover { error in files.map { errorRow(for: $0, error) } }
        case .futures:
            Stage2Futures(job: self).rows(for: files, until: token)
        case .awaited, .structured:
            Future(cancelToken: token) { await rows(for: files) }
                .recover { error in files.map { errorRow(for: $0, error) } }
        }
    }

    func rows(for files: [InputFile]) async -> [Row] {
        switch stages.rows {
        case .callbacks, .futures:
            let token = CancelToken()
            do {
                return try await rows(for: files, until: token).value(cancelling: token)
            } catch { return files.map { errorRow(for: $0, error) } }
        case .awaited: return await Stage3Await(job: self).rows(for: files)
        case .structured: return await Stage4Structured(job: self).rows(for: files)
        }
    }
}
