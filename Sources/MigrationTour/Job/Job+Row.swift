import SimpleFutures
import SimpleFuturesInterop

/// The row of one file: its figures, or an error.
///
/// It does not fail. A future does, if it was stopped before its task has begun; that is a row, too.
extension Job {
    func row(for file: InputFile, completion: @escaping @Sendable (Row) -> Void) -> LegacyRequest {
        switch stages.row {
        case .callbacks:
            return Stage1Callbacks(job: self).row(for: file, completion: completion)
        case .futures, .awaited:
            let token = CancelToken()
            row(for: file, until: token).onSuccess(completion: completion)
            return LegacyRequest(cancelling: token)
        case .structured:
            return Stage4Structured(job: self).row(for: file, completion: completion)
        }
    }

    func row(for file: InputFile, until token: CancelToken) -> Future<Row> {
        switch stages.row {
        case .callbacks:
            future(cancelToken: token, onCancel: .wait) { row(for: file, completion: $0).handle }
                .recover { errorRow(for: file, $0) }
        case .futures:
            Stage2Futures(job: self).row(for: file, until: token)
        case .awaited, .structured:
            Future(cancelToken: token) { await row(for: file) }.recover { errorRow(for: file, $0) }
        }
    }

    func row(for file: InputFile) async -> Row {
        switch stages.row {
        case .callbacks, .futures:
            let token = CancelToken()
            do {
                return try await row(for: file, until: token).value(cancelling: token)
            } catch { return errorRow(for: file, error) }
        case .awaited: return await Stage3Await(job: self).row(for: file)
        case .structured: return await Stage4Structured(job: self).row(for: file)
        }
    }
}
