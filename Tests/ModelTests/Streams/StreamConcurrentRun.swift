import SimpleFutures

/// Runs a program on several threads, and checks what came of it.
enum StreamConcurrentRun {
    static func complaint(about program: StreamProgram, on crew: Crew, _ patience: Patience) -> Complaint? {
        let machine = StreamMachine(isHeld: false)
        defer { machine.clear() }
        let jobs = program.threads.map { steps in
            { @Sendable in for step in steps { machine.run(step) } }
        }
        guard crew.run([{ for step in program.beginning { machine.run(step) } }], within: patience.seconds * 3)
        else { return "a call at the beginning has not returned" }
        guard crew.run(jobs, lingering: jobs.map { _ in machine.jitter?.start ?? 0 }, within: patience.seconds * 3)
        else { return "a call of a thread has not returned" }
        guard eventually(within: patience.seconds, { isCalm(program, machine) }) else {
            return "callbacks have not got what the streams have: \(machine.observations)"
        }
        return end(program, machine, on: crew, patience)
    }

    /// Whether all who listen have got what there is, before an end comes and wakes up whoever sleeps.
    private static func isCalm(_ program: StreamProgram, _ machine: StreamMachine) -> Bool {
        machine.places.settle()
        let (done, seen) = (machine.stepsDone, machine.observations)
        let history = StreamHistory(
            program, done, ends: seen.ends, kept: seen.kept, dropped: seen.dropped, machine.allNotes)
        return history.areAllServed
    }

    private static func end(
        _ program: StreamProgram, _ machine: StreamMachine, on crew: Crew, _ patience: Patience
    ) -> Complaint? {
        let ending = program.ending
        let loops = Set(program.steps.lazy.filter(\.operation.isLoop).map(\.id)).intersection(machine.stepsDone)
        let hasReturned = crew.run([{ for step in ending { machine.run(step) } }], within: patience.seconds * 3)
        guard hasReturned else { return "a call in the end has not returned" }
        let isAllOver = eventually(within: patience.seconds) {
            machine.places.settle()
            return machine.haveEnded(loops) && machine.observations.ends.values.allSatisfy { $0 != nil }
        }
        let last = machine.observations
        guard isAllOver else {
            let left = last.ends.filter { $0.value == nil }.keys.sorted().map { "s\($0)" }
            let waits = loops.filter { !machine.haveEnded([$0]) }.sorted().map { "a\($0)" }
            return "these have not ended: \((left + waits).joined(separator: ", "))"
        }
        machine.clear()
        let isGone = eventually(within: patience.seconds) {
            machine.places.settle()
            return machine.census.count == 0
        }
        // What contexts had still to run has been run by now.
        let history = StreamHistory(
            program, machine.stepsDone, ends: last.ends, kept: last.kept, dropped: last.dropped, machine.allNotes)
        if let complaint = history.complaint { return complaint }
        return isGone
            ? nil
            : "in the end \(machine.census.count) objects are still there, closures of "
                + "\(machine.observations.held.sorted())"
    }
}
