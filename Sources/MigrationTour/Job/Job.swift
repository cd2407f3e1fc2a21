import SimpleFutures

/// The job: four functions, each of which is in one of the stages, and can be called in any shape.
///
///     counts    the lines, words and bytes of a file
///     checksum  what a child process says about the file
///     row       both of one file, checked against each other, within the time limit; or an error
///     rows      the rows of all files in their order, so many at a time
///
/// Each function is written once per stage, and calls the others through the job, in its own shape. So one that moves
/// to the next stage changes nothing for those that call it. The shapes, and what they have in common:
///
///     job.counts(of: file) { counts, error in … }        -> LegacyRequest, whose `cancel` stops the call
///     job.counts(of: file, until: token)                  -> Future<Counts>; the token stops the call
///     try await job.counts(of: file)                      -> Counts; the task's cancellation stops the call
///
/// A call that was stopped still gives an answer, soon: an error, or rows that say so. With the answer, all that the
/// call has opened and started is closed and ended. A completion handler runs exactly once, on a background thread, never
/// before the call has returned.
struct Job: Sendable {
    let limits: Limits
    let stages: Stages

    /// The row of a file that has no figures, and why: an error, the time limit, a cancellation.
    func errorRow(for file: InputFile, _ error: any Error) -> Row {
        // The library's error in the words of this program.
        if case FuturesError.timedOut = error {
            Row(file, failure: FileError.timedOut(after: limits.timeout))
        } else {
            Row(file, failure: error)
        }
    }
}
