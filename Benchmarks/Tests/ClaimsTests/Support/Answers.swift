import Testing

extension Task where Success: Sendable, Failure == Never {
    /// Returns whether the task is still waiting a full second after an equivalent task has returned.
    func isWaiting(aSecondAfter equivalent: Task<some Sendable, Never>) async -> Bool {
        _ = await equivalent.value
        return await answerWithinASecond() == nil
    }

    /// Returns the task's result, or nil if it does not return within a second.
    ///
    /// A task that does not return is left running.
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

/// Expects a process to have written a text to standard error.
func expect(_ result: ExitTest.Result?, toSay text: String, sourceLocation: SourceLocation = #_sourceLocation) {
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains(text), "\(output)", sourceLocation: sourceLocation)
}
