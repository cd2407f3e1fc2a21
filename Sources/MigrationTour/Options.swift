import Foundation

/// What one run is told on the command line.
struct Options: Sendable {
    /// The files to work on; empty for the package's own.
    var files: [String] = []
    /// A file to follow while it grows, instead of the job.
    var followed: String?
    /// Which mixture of stages to try; nil for every stage by itself.
    var seed: UInt64?
    var limits = Limits()
    var wantsHelp = false
}

/// What every stage keeps to.
struct Limits: Sendable {
    /// How many files may be in flight at once.
    var jobs = ProcessInfo.processInfo.activeProcessorCount
    /// How long one file may take.
    var timeout = Duration.seconds(60)
    /// How many bytes are read at once.
    var chunkSize = 64 * 1024
    /// The program that computes checksums.
    var checksumProgram = "/usr/bin/cksum"
}

/// A command line that cannot be understood: what was passed and what is allowed.
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
        if !files.isEmpty {
            throw UsageError(description: "--follow takes one file, '\(followed)'; '\(files[0])' is one too many")
        }
        if seed != nil { throw UsageError(description: "--mix is about the job, which --follow does not do") }
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
                throw UsageError(description: "\(option) needs \(allowed), but nothing follows it")
            }
            return value
        }
        switch option {
        case "--jobs":
            limits.jobs = try Self.jobs(value(Self.allowedJobs))
        case "--timeout":
            limits.timeout = try Self.timeout(value(Self.allowedTimeout))
        case "--mix":
            let text = inlineValue ?? (rest.first.map(Self.looksLikeNumber) == true ? rest.popFirst() : nil)
            seed = try text.map(Self.seed) ?? .random(in: 0...9999)
        case "--cksum":
            limits.checksumProgram = try value("the path of a program")
        case "--follow":
            guard followed == nil else { throw UsageError(description: "--follow takes one file, and was given twice") }
            followed = try value("the path of a file")
        case "--help", "-h":
            guard inlineValue == nil else { throw UsageError(description: "\(option) takes no value") }
            wantsHelp = true
        default:
            throw UsageError(
                description: """
                    unknown option '\(option)'; allowed are --follow, --mix, --jobs, --timeout, --cksum and --help, \
                    and -- before a file whose name begins with '-'
                    """
            )
        }
    }

    private static let allowedJobs = "a whole number from 1 to 1024"
    private static let allowedTimeout = "a number of seconds from 0.001 to 86400"

    private static let allowedSeed = "a whole number from 0 to \(UInt64.max), or nothing"

    /// A seed may be left out; what follows is then a file.
    private static func looksLikeNumber(_ text: String) -> Bool {
        let first = text.drop { "+-".contains($0) }.first
        return first.map { ("0"..."9").contains($0) } == true
    }

    private static func seed(_ text: String) throws(UsageError) -> UInt64 {
        guard let seed = UInt64(text) else {
            throw UsageError(
                description: """
                    --mix needs \(allowedSeed), not '\(text)'; a file of this name stands before --mix, or after --
                    """
            )
        }
        return seed
    }

    private static func jobs(_ text: String) throws(UsageError) -> Int {
        guard let jobs = Int(text), (1...1024).contains(jobs) else {
            throw UsageError(description: "--jobs needs \(allowedJobs), not '\(text)'")
        }
        return jobs
    }

    private static func timeout(_ text: String) throws(UsageError) -> Duration {
        guard let seconds = Double(text), seconds >= 0.001, seconds <= 86_400 else {
            throw UsageError(description: "--timeout needs \(allowedTimeout), not '\(text)'")
        }
        return .milliseconds(Int((seconds * 1000).rounded()))
    }
}
