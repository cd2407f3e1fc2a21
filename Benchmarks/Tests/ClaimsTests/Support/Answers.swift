import Testing

extension Task where Success: Sendable, Failure == Never {
    /// Whether the task has not come back a full second after another one has, to which the same has happened.
    func isWaiting(aSecondAfter equivalent: Task<some Sendable, Never>) async -> Bool {
        _ = await equivalent.value
        return await answerWithinASecond() == nil
    }

    /// What the task comes back with, if it does.
    ///
    /// One that does not is left behind.
    private func answerWithinASecond() async -> Success? {
        let (answers, answer) = AsyncStream.makeStream(of: Success.self)
        Task<Void, Never> {
            answer.yield(await value)
            answer.finish()
        }
        Task<Void, Never> {
            try? await Task<Never, Never>.sleep(for: .seconds(1))
            answer.finish()
        }
        return await answers.first { _ in true }
    }
}

/// Expects a process to have said something on standard error.
func expect(_ result: ExitTest.Result?, toSay text: String, sourceLocation: SourceLocation = #_sourceLocation) {
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains(text), "\(output)", sourceLocation: sourceLocation)
}
