import SimpleFuturesInterop

/// One way to do the job: the files' rows, in the files' order.
struct Stage: Sendable {
    let title: String
    let rows: @Sendable ([InputFile], Limits) async throws -> [Row]

    static let all = [
        Stage(title: "Stage 1, callbacks") { files, limits in
            await withCheckedContinuation { continuation in
                Stage1Callbacks.rows(for: files, limits: limits) { continuation.resume(returning: $0) }
            }
        },
        Stage(title: "Stage 2, futures") { files, limits in
            try await Stage2Futures.rows(for: files, limits: limits).value
        },
        Stage(title: "Stage 3, await") { files, limits in
            await Stage3Await.rows(for: files, limits: limits)
        },
    ]
}
