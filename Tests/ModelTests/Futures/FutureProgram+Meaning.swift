// The results of a program's closures, shared by the model, the machine and the check.

extension FutureProgram.Transform {
    /// The result of the closure for an end that it handles; other ends are passed on.
    func applied(to end: End) -> End {
        switch (self, end) {
        case (_, .cancelled): end
        case (.map, .success(let number)), (.asyncMap, .success(let number)): .success(number + 100)
        case (.mapThrowing, .success(let number)): .failure(number + 200)
        case (.filterOut, .success): .noSuchElement
        case (.compactMapEven, .success(let number)): number.isMultiple(of: 2) ? .success(number + 600) : .noSuchElement
        case (.materialize, _): .success(end.number + (end.isSuccess ? 700 : 800))
        case (.asVoid, .success): .success(900)
        case (.recover, _) where end.isFailure: .success(end.number + 300)
        case (.recoverThrowing, _) where end.isFailure: .failure(end.number + 400)
        case (.mapError, _) where end.isFailure: .failure(end.number + 500)
        default: end
        }
    }
}

extension FutureProgram.Gathering {
    static func sum(_ ends: [End]) -> Int { ends.reduce(0) { ($0 &* 7 &+ $1.number) % 100_003 } }

    /// The result, if the inputs that have ended determine it.
    func result(of end: End, isLast: Bool, allCancelled: Bool, all: () -> [End]) -> End? {
        switch self {
        case .zip, .sequence, .traverse:
            if !end.isSuccess { return end }
            return isLast ? .success(Self.sum(all())) : nil
        case .settled:
            return isLast ? .success(Self.sum(all().map { $0 == .cancelled ? .cancellationError : $0 })) : nil
        case .firstCompleted:
            if end != .cancelled { return end }
            return allCancelled ? .cancelled : nil
        case .firstSucceeded, .find:
            if let found = found(end) { return found }
            return isLast ? (allCancelled ? .cancelled : .noSuchElement) : nil
        case .fold: preconditionFailure("is made in the order of its inputs")
        }
    }

    /// The result after the first success in time, or of the closure of `find`; nil if the race continues.
    func found(_ end: End) -> End? {
        guard case .success(let number) = end else { return nil }
        guard self == .find else { return end }
        return number.isMultiple(of: 5) ? .failure(number + 600) : number.isMultiple(of: 2) ? end : nil
    }

    /// The result of the closure of `fold`.
    static func folded(_ sum: Int, _ number: Int) -> End {
        number.isMultiple(of: 5) ? .failure(number + 700) : .success((sum &* 7 &+ number) % 100_003)
    }
}

extension FutureProgram {
    /// Whether `retry` tries again after a failure.
    static func shouldRetry(_ end: End) -> Bool { !end.number.isMultiple(of: 3) }
}
