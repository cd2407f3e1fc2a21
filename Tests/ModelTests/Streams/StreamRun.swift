import SimpleFutures

/// Runs a program on one thread, step by step, next to the model.
enum StreamSequentialRun {
    static func complaint(about program: StreamProgram, on crew: Crew, _ patience: Patience) -> Complaint? {
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

    private static func run(_ program: StreamProgram, _ patience: Patience) -> Complaint? {
        let machine = StreamMachine(isHeld: true)
        let model = StreamModel()
        defer { machine.clear() }
        let seconds =
            program.steps.contains { $0.operation.isLoop || $0.operation.isIterator }
            ? patience.seconds : patience.secondsWithoutTasks
        for step in program.steps + program.ending {
            machine.run(step)
            model.run(step)
            let expected = model.observations
            let isAsExpected = eventually(within: seconds) {
                if machine.observations == expected { return true }
                machine.places.settle(after: step.operation.settling)
                return machine.observations == expected
            }
            guard isAsExpected else { return "after \(step)\n" + machine.observations.difference(from: expected) }
            let elements = model.elements
            guard eventually(within: seconds, { machine.elements.isSubset(of: elements) }) else {
                let kept = machine.elements.subtracting(elements).sorted()
                return "after \(step)\n  nobody should hold these elements any more: \(kept)"
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

extension StreamProgram.Operation {
    /// The context that it lets run.
    fileprivate var settling: Place? {
        switch self {
        case .drain(let place): place
        case .advance: .manual
        default: nil
        }
    }
}

extension StreamProgram {
    /// What ends everything: the promises are dropped, and the contexts let run.
    var ending: [Step] {
        var ending: [Step] = []
        for step in steps where step.operation.isPromise {
            ending.append(Step(id: FutureProgram.endingID, operation: .dropPromise(step.id)))
        }
        for place in [Place.queue, .crowd, .manual, .queue, .crowd, .manual] {
            ending.append(Step(id: FutureProgram.endingID, operation: .drain(place)))
        }
        return ending
    }
}
