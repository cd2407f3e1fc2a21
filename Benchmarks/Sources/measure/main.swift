import Foundation
import Scenarios

// Compares SimpleFutures with the peers in one process, or runs one scenario a number of times for an external tool
// that counts.

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

/// Runs the body on the main actor and exits, with status 1 if it returns false.
///
/// It uses a run loop, because an asynchronous `main` ends the main thread and lets Dispatch serve the main queue from
/// another one, and valgrind crashes on that.
func finish(_ body: @escaping @MainActor () async throws -> Bool) -> Never {
    Task { exit(try await body() ? 0 : 1) }
    RunLoop.main.run()
    fatalError("the run loop has ended")
}

func misused() -> Never {
    print(usage)
    exit(2)
}
