import SimpleFutures

/// The observations of a run up to some moment.
protocol RunObservations: Equatable, Sendable {
    /// How the objects that still have a name have ended, or nil.
    var ends: [Int: End?] { get }
    /// The steps whose closures still exist.
    var held: Set<Int> { get }

    /// The differences from the expected observations.
    func difference(from expected: Self) -> Difference
}

extension RunObservations {
    /// The objects that have not ended.
    var open: Set<Int> { Set(ends.filter { $0.value == nil }.keys) }
}

/// Runs the steps of programs on the library, or on a model.
protocol StepRunner: SendableMetatype {
    associatedtype Subject: Program
    associatedtype Observations: RunObservations

    func run(_ step: Subject.Step)

    /// The current observations.
    var observations: Observations { get }

    /// The numbers of the results or elements that are still referenced; for a model, that may be.
    var living: Set<Int> { get }
}

/// A runner on the library.
protocol ProgramMachine: StepRunner, Sendable {
    var places: Places { get }
    var traces: Traces { get }
    /// Nil on one thread.
    var jitter: Jitter? { get }
    /// The steps that were carried out: others lacked an object that they need.
    var stepsDone: Set<Int> { get }

    /// Whether all of these tasks have ended.
    func haveEnded(_ tasks: Set<Int>) -> Bool

    /// Releases all objects that have a name.
    func clear()
}

extension ProgramMachine {
    var census: Census { traces.census }
    var living: Set<Int> { traces.living }

    func capture(_ id: Int) -> Payload { traces.capture(id) }
}

/// Runs a program on one thread, step by step, next to the model.
enum SequentialRun {
    static func complaint<Machine: ProgramMachine, Model: StepRunner>(
        about program: Machine.Subject, on crew: Crew, _ patience: Patience, _ machine: Machine,
        _ makeModel: @escaping @Sendable () -> Model
    ) -> Complaint? where Model.Subject == Machine.Subject, Model.Observations == Machine.Observations {
        let found = Lock<Complaint?>(nil)
        let seconds = program.usesTasks ? patience.seconds : patience.secondsWithoutTasks
        let hasReturned = crew.run(
            [
                {
                    let text = run(program, machine, makeModel(), within: seconds)
                    found.withLock { $0 = text }
                }
            ], within: patience.seconds * 3)
        return hasReturned ? found.withLock { $0 } : "a call has not returned"
    }

    private static func run<Machine: ProgramMachine, Model: StepRunner>(
        _ program: Machine.Subject, _ machine: Machine, _ model: Model, within seconds: Double
    ) -> Complaint? where Model.Subject == Machine.Subject, Model.Observations == Machine.Observations {
        defer { machine.clear() }
        for step in program.steps + program.ending {
            machine.run(step)
            model.run(step)
            let expected = model.observations
            let isAsExpected = eventually(within: seconds) {
                if machine.observations == expected { return true }
                machine.places.settle(after: step.operation.settling)
                return machine.observations == expected
            }
            guard isAsExpected else {
                let difference = machine.observations.difference(from: expected)
                return "after \(step)\n" + difference.lines.joined(separator: "\n")
            }
            let living = model.living
            guard eventually(within: seconds, { machine.living.isSubset(of: living) }) else {
                let kept = machine.living.subtracting(living).sorted()
                return "after \(step)\n  these should have been released: \(kept)"
            }
        }
        machine.clear()
        let isGone = eventually(within: seconds) {
            machine.places.settle()
            return machine.census.count == 0
        }
        return isGone ? nil : "in the end \(machine.census.count) objects are still there"
    }
}
