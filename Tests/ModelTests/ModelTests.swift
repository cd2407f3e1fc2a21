import Testing
@testable import TestSupport

// Each program is generated at random from its seed. On one thread a simple model predicts the observations after each
// step; on several threads the final observations must be possible. `FutureProgram` and `StreamProgram` define the
// programs, and their rules exclude programs with an undefined order.
//
// The tests run in separate processes, because they wait for tasks, which other tests could delay.
@Suite("Random programs", .watchdog)
struct ModelTests {
    @Test func `on one thread futures behave as the model predicts`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            Trial(name: "futures on one thread", make: FutureGenerator.sequential) { program, crew, patience in
                program.complaint(on: crew, patience)
            }
            .run(count: 400)
        }
        show(result)
    }

    @Test func `on several threads futures end in one of the possible ways`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            Trial(name: "futures on several threads", repetitions: 4, make: FutureGenerator.concurrent) {
                program, crew, patience in
                program.complaintOfThreads(on: crew, patience)
            }
            .run(count: 250)
        }
        show(result)
    }

    @Test func `on one thread streams behave as the model predicts`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            Trial(name: "streams on one thread", make: StreamGenerator.sequential) { program, crew, patience in
                program.complaint(on: crew, patience)
            }
            .run(count: 250)
        }
        show(result)
    }

    @Test func `on several threads streams emit one of the possible sequences`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            Trial(name: "streams on several threads", repetitions: 3, make: StreamGenerator.concurrent) {
                program, crew, patience in
                program.complaintOfThreads(on: crew, patience)
            }
            .run(count: 150)
        }
        show(result)
    }

    /// Prints the process's own output, without the runner's lines: programs that were asked for, and the time taken.
    private func show(_ result: ExitTest.Result?) {
        let text = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        if !text.isEmpty { print(text) }
    }
}
