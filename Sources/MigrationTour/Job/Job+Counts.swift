import SimpleFutures
import SimpleFuturesInterop

/// The lines, words and bytes of a file.
extension Job {
    func counts(
        of file: InputFile,
        completion: @escaping @Sendable (Counts?, (any Error)?) -> Void
    ) -> LegacyRequest {
        switch stages.counts {
        case .callbacks:
            return Stage1Callbacks(job: self).counts(of: file, completion: completion)
        case .futures, .awaited:
            let token = CancelToken()
            counts(of: file, until: token).onComplete { completion($0.value, $0.error) }
            return LegacyRequest(cancelling: token)
        case .structured:
            return Stage4Structured(job: self).counts(of: file, completion: completion)
        }
    }

    func counts(of file: InputFile, until token: CancelToken) -> Future<Counts> {
        switch stages.counts {
        case .callbacks: future(cancelToken: token, onCancel: .wait) { counts(of: file, completion: $0).handle }
        case .futures: Stage2Futures(job: self).counts(of: file, until: token)
        case .awaited, .structured: Future(cancelToken: token) { try await counts(of: file) }
        }
    }

    func counts(of file: InputFile) async throws -> Counts {
        switch stages.counts {
        case .callbacks, .futures:
            let token = CancelToken()
            return try await counts(of: file, until: token).value(cancelling: token)
        case .awaited: return try await Stage3Await(job: self).counts(of: file)
        case .structured: return try await Stage4Structured(job: self).counts(of: file)
        }
    }
}
