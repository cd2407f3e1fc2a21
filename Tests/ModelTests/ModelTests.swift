import Testing
@testable import TestSupport

// Each program is made at random from its seed. On one thread a model, too simple to be wrong, says what must be seen
// after each step; on several threads what was seen in the end must be something that may be. What programs are made of
// is in `FutureProgram` and `StreamProgram`, and which of them leave an order open in their rules.
//
// In processes of their own: they wait for tasks, which other tests may keep from running.
@Suite("Random programs", .watchdog, .serialized)
struct ModelTests {
    @Test func `on one thread futures do what the model says`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            Trial(name: "futures on one thread", make: FutureGenerator.sequential) { program, crew, patience in
                program.complaint(on: crew, patience)
            }
            .run(count: 400)
        }
        show(result)
    }

    @Test func `on several threads what happens to futures is one of the things that may`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            Trial(name: "futures on several threads", repetitions: 4, make: FutureGenerator.concurrent) {
                program, crew, patience in
                program.complaintOfThreads(on: crew, patience)
            }
            .run(count: 250)
        }
        show(result)
    }

    @Test func `on one thread streams do what the model says`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            Trial(name: "streams on one thread", make: StreamGenerator.sequential) { program, crew, patience in
                program.complaint(on: crew, patience)
            }
            .run(count: 250)
        }
        show(result)
    }

    @Test func `on several threads what happens to streams is one of the things that may`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            Trial(name: "streams on several threads", repetitions: 3, make: StreamGenerator.concurrent) {
                program, crew, patience in
                program.complaintOfThreads(on: crew, patience)
            }
            .run(count: 150)
        }
        show(result)
    }

    /// Prints what the process has said besides the runner's own lines: programs that were asked for, and how long it
    /// took.
    private func show(_ result: ExitTest.Result?) {
        let text = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        if !text.isEmpty { print(text) }
    }
}
