extension ProgramMachine {
    /// Runs the beginning, and then all threads at the same moment.
    func runThreads(of program: Subject, on crew: Crew, _ patience: Patience) -> Complaint? {
        let jobs = program.threads.map { steps in
            { @Sendable in for step in steps { self.run(step) } }
        }
        guard crew.run([{ for step in program.beginning { self.run(step) } }], within: patience.seconds * 3)
        else { return "a call at the beginning has not returned" }
        guard crew.run(jobs, lingering: jobs.map { _ in jitter?.start ?? 0 }, within: patience.seconds * 3)
        else { return "a call of a thread has not returned" }
        return nil
    }

    /// Runs the program's ending, and waits for these tasks and all objects that have a name.
    func runEnding(of program: Subject, tasks: Set<Int>, on crew: Crew, _ patience: Patience) -> Complaint? {
        let hasReturned = crew.run([{ for step in program.ending { self.run(step) } }], within: patience.seconds * 3)
        guard hasReturned else { return "a call in the end has not returned" }
        let isAllOver = eventually(within: patience.seconds) {
            places.settle()
            return haveEnded(tasks) && observations.open.isEmpty
        }
        guard !isAllOver else { return nil }
        let waiting = tasks.filter { !haveEnded([$0]) }
        return "these have not ended: \((observations.open.union(waiting)).sorted())"
    }

    /// Releases everything.
    ///
    /// Tasks that contexts still have are run.
    func leftovers(_ patience: Patience) -> Complaint? {
        clear()
        let isGone = eventually(within: patience.seconds) {
            places.settle()
            return census.count == 0
        }
        return isGone
            ? nil : "in the end \(census.count) objects are still there, closures of \(observations.held.sorted())"
    }
}

extension FutureProgram {
    /// Runs the program on several threads, and checks the result.
    func complaintOfThreads(on crew: Crew, _ patience: Patience) -> Complaint? {
        let machine = FutureMachine(self, isHeld: false)
        defer { machine.clear() }
        if let complaint = machine.runThreads(of: self, on: crew, patience) { return complaint }
        let awaits = Set(steps.lazy.filter(\.operation.isAwait).map(\.id)).intersection(machine.stepsDone)
        if let complaint = machine.runEnding(of: self, tasks: awaits, on: crew, patience) { return complaint }
        let ends = machine.observations.ends
        let leftovers = machine.leftovers(patience)
        var seen = machine.observations
        seen.ends = ends
        return FutureHistory(self, machine.stepsDone, seen).complaint ?? leftovers
    }
}

extension StreamProgram {
    /// Runs the program on several threads, and checks the result.
    func complaintOfThreads(on crew: Crew, _ patience: Patience) -> Complaint? {
        let machine = StreamMachine(isHeld: false)
        defer { machine.clear() }
        if let complaint = machine.runThreads(of: self, on: crew, patience) { return complaint }
        // Before the end of the program, which resumes all waiters.
        let isCalm = eventually(within: patience.seconds) {
            machine.places.settle()
            let (done, seen) = (machine.stepsDone, machine.observations)
            return StreamHistory(self, done, seen, machine.allNotes).areAllServed
        }
        guard isCalm else { return "callbacks have not got what the streams have: \(machine.observations)" }
        let loops = Set(steps.lazy.filter(\.operation.isLoop).map(\.id)).intersection(machine.stepsDone)
        if let complaint = machine.runEnding(of: self, tasks: loops, on: crew, patience) { return complaint }
        let last = machine.observations
        let leftovers = machine.leftovers(patience)
        return StreamHistory(self, machine.stepsDone, last, machine.allNotes).complaint ?? leftovers
    }
}
