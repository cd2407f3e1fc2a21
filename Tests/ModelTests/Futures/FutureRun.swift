extension FutureProgram {
    /// Compares the library with the model, on one thread.
    func complaint(on crew: Crew, _ patience: Patience) -> Complaint? {
        SequentialRun.complaint(
            about: self, on: crew, patience, FutureMachine(self, isHeld: true), { FutureModel() })
    }

    var usesTasks: Bool {
        steps.contains {
            switch $0.operation {
            case .await, .asyncFuture, .transform(.asyncMap, _, _, _): true
            default: false
            }
        }
    }

    /// Completes the bare futures, drops the promises, and lets the contexts run.
    var ending: [Step] {
        var ending: [Step] = []
        func add(_ operation: Operation) { ending.append(Step(id: endingID, operation: operation)) }
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
    var settling: Place? {
        switch self {
        case .drain(let place): place
        case .advance: .manual
        default: nil
        }
    }
}
