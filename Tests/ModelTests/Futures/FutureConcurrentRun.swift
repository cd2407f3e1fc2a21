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
