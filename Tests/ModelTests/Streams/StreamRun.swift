extension StreamProgram {
    /// Compares the library with the model, on one thread.
    func complaint(on crew: Crew, _ patience: Patience) -> Complaint? {
        SequentialRun.complaint(about: self, on: crew, patience, StreamMachine(isHeld: true), { StreamModel() })
    }

    var usesTasks: Bool { steps.contains { $0.operation.isLoop || $0.operation.isIterator } }

    /// Drops the promises, and lets the contexts run.
    var ending: [Step] {
        let promises = steps.filter(\.operation.isPromise).map { Operation.dropPromise($0.id) }
        let drains = [Place.queue, .crowd, .manual, .queue, .crowd, .manual].map { Operation.drain($0) }
        return (promises + drains).map { Step(id: endingID, operation: $0) }
    }
}

extension StreamProgram.Operation {
    var settling: Place? {
        switch self {
        case .drain(let place): place
        case .advance: .manual
        default: nil
        }
    }
}
