import Foundation
import Scenarios

// Ours beside the peers, in one process; or one scenario so many times, for a tool that counts from outside.

let usage = """
    usage: measure compare [--check] [--rounds N] [--page FILE] [--picture PATH] [ROW ...]
                                                              time and memory beside the peers; --check fails on a step
                                                              back, --page puts the table into a page of Markdown, --picture
                                                              draws PATH.svg and PATH~dark.svg
           measure run SCENARIO COUNT                         one scenario, nothing else
           measure list                                       the scenarios, and how many operations of each belong together
    """

var arguments = CommandLine.arguments.dropFirst()
switch arguments.popFirst() {
case "compare":
    let options = CompareOptions(arguments)
    finish { try await compare(options) || !options.check }
case "run":
    guard let scenario = arguments.popFirst().flatMap(Scenario.named),
        let count = arguments.popFirst().flatMap({ Int($0) })
    else { misused() }
    finish {
        try await scenario.run(count)
        return true
    }
case "list":
    for scenario in Scenario.all { print(scenario.name, scenario.batch) }
default:
    misused()
}

/// Runs the body on the main actor and leaves the process, with status 1 when it returns false.
///
/// In a run loop, because what an asynchronous `main` does instead, to end the main thread and let Dispatch serve its
/// queue from another, is more than valgrind survives.
func finish(_ body: @escaping @MainActor () async throws -> Bool) -> Never {
    Task { exit(try await body() ? 0 : 1) }
    RunLoop.main.run()
    fatalError("the run loop has ended")
}

func misused() -> Never {
    print(usage)
    exit(2)
}
