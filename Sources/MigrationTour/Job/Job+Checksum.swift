import SimpleFutures
import SimpleFuturesInterop

/// What a child process says about a file.
extension Job {
    func checksum(
        of file: InputFile,
        completion: @escaping @Sendable (Result<Checksum, any Error>) -> Void
    ) -> LegacyRequest {
        switch stages.checksum {
        case .callbacks:
            return Stage1Callbacks(job: self).checksum(of: file, completion: completion)
        case .futures, .awaited:
            let token = CancelToken()
            checksum(of: file, until: token).onComplete { completion($0.result) }
            return LegacyRequest(cancelling: token)
        case .structured:
            return Stage4Structured(job: self).checksum(of: file, completion: completion)
        }
    }

    func checksum(of file: InputFile, until token: CancelToken) -> Future<Checksum> {
        switch stages.checksum {
        case .callbacks: future(cancelToken: token, onCancel: .wait) { checksum(of: file, completion: $0).handle }
        case .futures: Stage2Futures(job: self).checksum(of: file, until: token)
        case .awaited, .structured: Future(cancelToken: token) { try await checksum(of: file) }
        }
    }

    func checksum(of file: InputFile) async throws -> Checksum {
        switch stages.checksum {
        case .callbacks, .futures:
            let token = CancelToken()
            return try await checksum(of: file, until: token).value(cancelling: token)
        case .awaited: return try await Stage3Await(job: self).checksum(of: file)
        case .structured: return try await Stage4Structured(job: self).checksum(of: file)
        }
    }
}
