import Foundation
import SimpleFutures
import Testing

/// Runs many programs.
///
/// A failing program is made smaller and reported.
///
/// `SIMPLEFUTURES_STRESS=n` multiplies their number by n, `SIMPLEFUTURES_SEED=n` runs and prints only the program with
/// that seed.
struct Trial<Subject: Program> {
    let name: String
    let make: (UInt64) -> Subject
    /// How often a program is run, because on several threads it may not fail each time.
    var repetitions = 1
    let complaint: (Subject, Crew, Patience) -> Complaint?

    init(
        name: String, repetitions: Int = 1, make: @escaping (UInt64) -> Subject,
        complaint: @escaping (Subject, Crew, Patience) -> Complaint?
    ) {
        self.name = name
        self.repetitions = repetitions
        self.make = make
        self.complaint = complaint
    }

    func run(count: Int) { Crash.watching { note in run(count: count, note) } }

    private func run(count: Int, _ note: (String) -> Void) {
        let seeds = Settings.seed.map { $0...$0 } ?? 1...UInt64(count * Settings.factor)
        let start = ContinuousClock.now
        var crew = Crew(count: 4)
        defer { crew.dismiss() }
        for seed in seeds {
            note("\(name), SIMPLEFUTURES_SEED=\(seed)")
            let program = make(seed)
            if Settings.seed != nil { print("\(name):\n\(program)") }
            guard let first = complaint(program, &crew, repetitions, .first) else { continue }
            let smallest = Shrinker.shrink(program) { complaint($0, &crew, repetitions * 10, .shrinking) != nil }
            let last = complaint(smallest, &crew, repetitions * 40, .shrinking) ?? first
            Issue.record(
                """
                \(name), SIMPLEFUTURES_SEED=\(seed), program \(seed) of \(seeds.count): \(last)
                The smallest program of \(smallest.count) steps (of \(program.count)):
                \(smallest)
                """)
            return
        }
        if Settings.factor > 1 {
            print("\(name): \(seeds.count) programs, \(repetitions) times each, in \(ContinuousClock.now - start)")
        }
    }

    private func complaint(_ program: Subject, _ crew: inout Crew, _ repetitions: Int, _ patience: Patience)
        -> Complaint?
    {
        for _ in 0..<repetitions {
            guard let text = complaint(program, crew, patience) else { continue }
            // One of its threads may hang, or return late.
            crew.dismiss()
            crew = Crew(count: 4)
            return text
        }
        return nil
    }
}

/// The settings in the environment.
enum Settings {
    static let factor = max(1, number("SIMPLEFUTURES_STRESS") ?? 1)
    static let seed = number("SIMPLEFUTURES_SEED").map { UInt64($0) }

    private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }
}

/// A description of an error; nil if there is none.
typealias Complaint = String

/// How long to wait for expected events: only failures take that long.
struct Patience: Sendable {
    /// Long enough to be sure that the event will never come.
    let seconds: Double
    /// The same for programs without Swift tasks.
    let secondsWithoutTasks: Double

    static let first = Patience(seconds: 60, secondsWithoutTasks: 20)
    /// Short, because errors do little harm while many small programs are tried.
    static let shrinking = Patience(seconds: 0.5, secondsWithoutTasks: 0.05)
}

/// Prints the running program in a crash, in which there is no report otherwise.
enum Crash {
    // Written before the handler is set, and read by the handler, which may do almost nothing.
    nonisolated(unsafe) private static let text = UnsafeMutablePointer<CChar>.allocate(capacity: 256)
    nonisolated(unsafe) private static let former = UnsafeMutablePointer<sigaction>.allocate(capacity: 64)
    private static let numbers = [SIGSEGV, SIGILL, SIGTRAP, SIGABRT, SIGBUS]

    /// Runs programs, one at a time.
    ///
    /// `note` must be called with the next one.
    static func watching(_ body: (_ note: (String) -> Void) -> Void) {
        text[0] = 0
        for number in numbers {
            sigaction(number, nil, former + Int(number))
            signal(number) { number in
                _ = write(2, Crash.text, strlen(Crash.text))
                // The signal is raised again, for the former handler.
                sigaction(number, Crash.former + Int(number), nil)
                raise(number)
            }
        }
        body { program in _ = "\ncrashed while \(program) ran\n".withCString { strncpy(text, $0, 255) } }
        for number in numbers { sigaction(number, former + Int(number), nil) }
    }
}
