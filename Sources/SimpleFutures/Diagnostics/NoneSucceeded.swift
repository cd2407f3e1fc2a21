/// The error of a race without a success: all futures failed, or some failed and the rest were canceled.
///
///     mirrors.map { client.load($0) }.firstSucceeded().onFailure { error in
///         for error in (error as? NoneSucceeded)?.errors ?? [error] { log.add("\(error)") }
///     }
public struct NoneSucceeded: Error {
    /// The errors, in the order in which they occurred: at least one.
    ///
    /// Each failed input contributes one error. An input that was itself such a race contributes its first.
    public let errors: [any Error]

    init(_ errors: [any Error]) { self.errors = errors }
}

extension NoneSucceeded: CustomStringConvertible {
    /// The number of failures and their errors.
    public var description: String {
        let list = errors.map { "\($0)" }.joined(separator: "; ")
        return "None of \(errors.count) succeeded: \(list)"
    }
}
