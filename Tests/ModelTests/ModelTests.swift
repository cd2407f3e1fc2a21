import Testing

// Each program is made at random from its seed. On one thread a model, too simple to be wrong, says what must be seen
// after each step; on several threads what was seen in the end must be something that may be. What programs are made of
// is in `FutureProgram` and `StreamProgram`, and which of them leave an order open in their rules.
//
// In processes of their own: they wait for tasks, which other tests may keep from running.
@Suite("Random programs", .serialized)
struct ModelTests {
    @Test func `on one thread futures do what the model says`() async {
        await #expect(processExitsWith: .success) {
            Trial(name: "futures on one thread", make: FutureGenerator.sequential) { program, crew, patience in
                FutureSequentialRun.complaint(about: program, on: crew, patience)
            }
            .run(count: 400)
        }
    }

    @Test func `on several threads what happens to futures is one of the things that may`() async {
        await #expect(processExitsWith: .success) {
            Trial(name: "futures on several threads", repetitions: 4, make: FutureGenerator.concurrent) {
                program, crew, patience in
                FutureConcurrentRun.complaint(about: program, on: crew, patience)
            }
            .run(count: 250)
        }
    }

    @Test func `on one thread streams do what the model says`() async {
        await #expect(processExitsWith: .success) {
            Trial(name: "streams on one thread", make: StreamGenerator.sequential) { program, crew, patience in
                StreamSequentialRun.complaint(about: program, on: crew, patience)
            }
            .run(count: 250)
        }
    }

    @Test func `on several threads what happens to streams is one of the things that may`() async {
        await #expect(processExitsWith: .success) {
            Trial(name: "streams on several threads", repetitions: 3, make: StreamGenerator.concurrent) {
                program, crew, patience in
                StreamConcurrentRun.complaint(about: program, on: crew, patience)
            }
            .run(count: 150)
        }
    }
}
