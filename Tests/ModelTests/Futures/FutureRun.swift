import SimpleFutures

/// Runs a program on one thread, step by step, next to the model.
enum FutureSequentialRun {
    static func complaint(about program: FutureProgram, on crew: Crew, _ patience: Patience) -> Complaint? {
        let found = Lock<Complaint?>(nil)
        let hasReturned = crew.run(
            [
                {
                    let text = run(program, patience)
                    found.withLock { $0 = text }
                }
            ], within: patience.seconds * 3)
        return hasReturned ? found.withLock { $0 } : "a call has not returned"
    }

    private static func run(_ program: FutureProgram, _ patience: Patience) -> Complaint? {
        let machine = FutureMachine(program, isHeld: true)
        let model = FutureModel()
        defer { machine.clear() }
        let seconds = program.usesTasks ? patience.seconds : patience.secondsWithoutTasks
        for step in program.steps + program.ending {
            machine.run(step)
            model.run(step)
            let expected = model.observations
            let results = model.results
            let isAsExpected = eventually(within: seconds) {
                if machine.observations == expected { return true }
                machine.places.settle(after: step.operation.settling)
                return machine.observations == expected
            }
            let areReleased = eventually(within: seconds) { machine.results.isSubset(of: results) }
            guard isAsExpected else {
                return "after \(step)\n" + machine.observations.difference(from: expected)
            }
            guard areReleased else {
                let kept = machine.results.subtracting(results).sorted()
                return "after \(step)\n  nobody should hold these results any more: \(kept)"
            }
        }
        machine.clear()
        let isGone = eventually(within: seconds) {
            machine.places.settle()
            return machine.census.count == 0
        }
        guard isGone else { return "in the end \(machine.census.count) objects are still there" }
        return nil
    }
}

extension FutureProgram {
    /// Whether some of it is done by tasks, which take their time.
    var usesTasks: Bool {
        steps.contains {
            switch $0.operation {
            case .await, .asyncFuture, .transform(.asyncMap, _, _, _): true
            default: false
            }
        }
    }

    /// The number of all steps with which a program ends.
    static let endingID = 1000

    /// What ends everything: the bare futures are completed, the promises dropped, and the contexts let run.
    var ending: [Step] {
        var ending: [Step] = []
        func add(_ operation: Operation) { ending.append(Step(id: Self.endingID, operation: operation)) }
        for step in steps where step.operation.isBare { add(.tryComplete(step.id, isSuccess: true)) }
        for step in steps where step.operation.isPromise { add(.dropPromise(step.id)) }
        for _ in 0..<3 {
            for place in [Place.queue, .crowd, .manual] { add(.drain(place)) }
            add(.advance)
        }
        return ending
    }
}

extension FutureProgram.Operation {
    /// The context that it lets run.
    fileprivate var settling: Place? {
        switch self {
        case .drain(let place): place
        case .advance: .manual
        default: nil
        }
    }
}

extension FutureMachine {
    /// Lets go of everything that has a name.
    func clear() {
        let old = things.exchange(Things())
        for task in old.tasks.values { task.cancel() }
    }
}
