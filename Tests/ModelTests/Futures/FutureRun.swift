import SimpleFutures

/// What is wrong, in words; nil when nothing is.
typealias Complaint = String

/// How long to wait for what must come, in seconds: only what fails takes so long.
struct Patience: Sendable {
    let seconds: Double

    static let first = Patience(seconds: 20)
    static let shrinking = Patience(seconds: 0.5)
}

/// Runs a program on one thread, step by step, next to the model.
enum FutureSequentialRun {
    static func complaint(about program: FutureProgram, on crew: Crew, _ patience: Patience) -> Complaint? {
        let found = Lock<Complaint?>(nil)
        let hasReturned = crew.run(
            [
                {
                    let text = run(program, patience); found.withLock { $0 = text }
                }
            ], within: patience.seconds * 3)
        return hasReturned ? found.withLock { $0 } : "a call has not returned"
    }

    private static func run(_ program: FutureProgram, _ patience: Patience) -> Complaint? {
        let machine = FutureMachine(program, isHeld: true)
        let model = FutureModel()
        defer { machine.clear() }
        for step in program.steps + program.ending {
            machine.run(step)
            model.run(step)
            let expected = model.observations
            let isAsExpected = eventually(within: patience.seconds) {
                if machine.observations == expected { return true }
                machine.places.settle(after: step.operation.settling)
                return machine.observations == expected
            }
            guard isAsExpected else {
                return "after \(step)\n" + machine.observations.difference(from: expected)
            }
        }
        machine.clear()
        guard eventually(within: patience.seconds, { machine.census.count == 0 }) else {
            return "in the end \(machine.census.count) objects are still there"
        }
        return nil
    }
}

extension FutureProgram {
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

extension FutureObservations {
    /// Where it differs from what was expected.
    func difference(from expected: FutureObservations) -> String {
        var lines: [String] = []
        func compare<Value: Equatable>(_ what: String, _ seen: [Int: Value], _ expected: [Int: Value]) {
            for id in Set(seen.keys).union(expected.keys).sorted() where seen[id] != expected[id] {
                lines.append(
                    "  \(what)\(id): \(seen[id].map { "\($0)" } ?? "nothing")"
                        + ", expected \(expected[id].map { "\($0)" } ?? "nothing")")
            }
        }
        compare(
            "f", ends.mapValues { $0.map { "\($0)" } ?? "pending" },
            expected.ends.mapValues { $0.map { "\($0)" } ?? "pending" })
        compare("callback ", notes, expected.notes)
        compare("await ", outcomes, expected.outcomes)
        compare("answer of ", answers, expected.answers)
        compare("handler ", handlers, expected.handlers)
        if orders != expected.orders { lines.append("  orders: \(orders), expected \(expected.orders)") }
        if held != expected.held {
            lines.append("  closures held: \(held.sorted()), expected \(expected.held.sorted())")
        }
        if timers != expected.timers { lines.append("  timers: \(timers), expected \(expected.timers)") }
        return lines.joined(separator: "\n")
    }
}
