import Testing
@testable import TestSupport

// Each program is generated at random from its seed. `FutureProgram` and `StreamProgram` define the programs, and their
// rules exclude programs with an undefined order.
@Suite("Random programs", .watchdog)
struct ModelTests {
    enum Kind: String, CaseIterable, Codable {
        case futures, futuresOfThreads, streams, streamsOfThreads

        func run() {
            switch self {
            case .futures:
                Trial(name: "futures on one thread", make: FutureGenerator.sequential) { $0.complaint(on: $1, $2) }
                    .run(count: 400)
            case .futuresOfThreads:
                Trial(name: "futures on several threads", repetitions: 4, make: FutureGenerator.concurrent) {
                    $0.complaintOfThreads(on: $1, $2)
                }
                .run(count: 250)
            case .streams:
                Trial(name: "streams on one thread", make: StreamGenerator.sequential) { $0.complaint(on: $1, $2) }
                    .run(count: 250)
            case .streamsOfThreads:
                Trial(name: "streams on several threads", repetitions: 3, make: StreamGenerator.concurrent) {
                    $0.complaintOfThreads(on: $1, $2)
                }
                .run(count: 150)
            }
        }
    }

    // In a separate process, because it waits for tasks, which other tests could delay.
    @Test(arguments: Kind.allCases)
    func `a model predicts each observation on one thread, and several threads end in a possible way`(
        kind: Kind
    ) async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { [kind] in
            kind.run()
        }
        // The process's own output, without the runner's lines: programs that were asked for, and the time taken.
        let text = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        if !text.isEmpty { print(text) }
    }
}
