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
