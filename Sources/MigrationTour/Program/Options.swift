import Foundation

/// The options of one run.
struct Options: Sendable {
    /// The files to work on; empty for the package's own.
    var files: [String] = []
    /// A file to count while it grows, instead of the job.
    var followed: String?
    /// Whether to print the table of files.
    var wantsTable = false
    var limits = Limits()
    var wantsHelp = false
}

/// A wrong option: what was passed and what is allowed.
struct UsageError: Error, CustomStringConvertible {
    let description: String
}

extension Options {
    /// Reads the arguments that follow the program's name.
    ///
    /// Options and files may be mixed; `--` ends the options.
    init(arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        try read(&rest)
        guard let followed else { return }
        if let file = files.first {
            throw UsageError(description: "--follow takes one file, '\(followed)'. Remove '\(file)'.")
        }
        if wantsTable { throw UsageError(description: "--table can't be combined with --follow. Remove one of them.") }
    }

    private mutating func read(_ rest: inout ArraySlice<String>) throws(UsageError) {
        while let argument = rest.popFirst() {
            if argument == "--" {
                files += rest
                return
            }
            guard argument.hasPrefix("-"), argument != "-" else {
                files.append(argument)
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            try read(option: parts[0], inlineValue: parts.count == 2 ? parts[1] : nil, rest: &rest)
        }
    }

    private mutating func read(
        option: String,
        inlineValue: String?,
        rest: inout ArraySlice<String>
    ) throws(UsageError) {
        func value(_ allowed: String) throws(UsageError) -> String {
            guard let value = inlineValue ?? rest.popFirst() else {
                throw UsageError(description: "\(option) needs \(allowed), but has no value.")
            }
            return value
        }
        switch option {
        case "--jobs":
            limits.jobs = try Self.jobs(value(Self.allowedJobs))
        case "--timeout":
            limits.timeout = try Self.timeout(value(Self.allowedTimeout))
        case "--cksum":
            limits.checksumProgram = try value("the path of a program")
        case "--follow":
            guard followed == nil else { throw UsageError(description: "--follow was passed twice. Pass it once.") }
            followed = try value("the path of a file")
        case "--table", "--help", "-h":
            guard inlineValue == nil else { throw UsageError(description: "\(option) takes no value.") }
            if option == "--table" { wantsTable = true } else { wantsHelp = true }
        default:
            throw UsageError(
                description: """
                    unknown option '\(option)'. The options are --table, --jobs, --timeout, --cksum, --follow and --help. \
                    Pass -- before a file whose name begins with '-'.
                    """
            )
        }
    }

    private static let allowedJobs = "a whole number from 1 to 1024"
    private static let allowedTimeout = "a number of seconds from 0.001 to 86400"

    private static func jobs(_ text: String) throws(UsageError) -> Int {
        guard let jobs = Int(text), (1...1024).contains(jobs) else {
            throw UsageError(description: "--jobs needs \(allowedJobs), but was given '\(text)'.")
        }
        return jobs
    }

    private static func timeout(_ text: String) throws(UsageError) -> Duration {
        guard let seconds = Double(text), seconds >= 0.001, seconds <= 86_400 else {
            throw UsageError(description: "--timeout needs \(allowedTimeout), but was given '\(text)'.")
        }
        return .milliseconds(Int((seconds * 1000).rounded()))
    }
}
