import SimpleFutures

/// Runs a program on several threads, and checks what came of it.
enum FutureConcurrentRun {
    static func complaint(about program: FutureProgram, on crew: Crew, _ patience: Patience) -> Complaint? {
        let machine = FutureMachine(program, isHeld: false)
        defer { machine.clear() }
        let jobs = program.threads.map { steps in
            { @Sendable in for step in steps { machine.run(step) } }
        }
        guard crew.run([{ for step in program.beginning { machine.run(step) } }], within: patience.seconds * 3)
        else { return "a call at the beginning has not returned" }
        guard crew.run(jobs, lingering: jobs.map { _ in machine.jitter?.start ?? 0 }, within: patience.seconds * 3)
        else { return "a call of a thread has not returned" }
        return end(program, machine, on: crew, patience)
    }

    private static func end(
        _ program: FutureProgram, _ machine: FutureMachine, on crew: Crew, _ patience: Patience
    ) -> Complaint? {
        let ending = program.ending
        let awaits = Set(program.steps.lazy.filter(\.operation.isAwait).map(\.id)).intersection(machine.stepsDone)
        let hasReturned = crew.run([{ for step in ending { machine.run(step) } }], within: patience.seconds * 3)
        guard hasReturned else { return "a call in the end has not returned" }
        let isAllOver = eventually(within: patience.seconds) {
            machine.places.settle()
            return machine.haveEnded(awaits) && machine.observations.ends.values.allSatisfy { $0 != nil }
        }
        let history = FutureHistory(program, machine.stepsDone, machine.observations)
        guard isAllOver else {
            let left = history.seen.ends.filter { $0.value == nil }.keys.sorted().map { "f\($0)" }
            let waits = awaits.subtracting(history.seen.outcomes.keys).sorted().map { "a\($0)" }
            return "these have not ended: \((left + waits).joined(separator: ", "))"
        }
        machine.clear()
        let isGone = eventually(within: patience.seconds) {
            machine.places.settle()
            return machine.census.count == 0
        }
        // What contexts had still to run has been run by now.
        if let complaint = FutureHistory(program, machine.stepsDone, history.seen.with(machine.observations)).complaint
        {
            return complaint
        }
        return isGone
            ? nil
            : "in the end \(machine.census.count) objects are still there, "
                + "closures of \(machine.observations.held.sorted())"
    }
}

extension FutureObservations {
    /// These ends, with everything else as it is now.
    func with(_ now: FutureObservations) -> FutureObservations {
        var result = now
        result.ends = ends
        return result
    }
}
