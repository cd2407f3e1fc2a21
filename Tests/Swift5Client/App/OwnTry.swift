import SimpleFutures

/// The app's own result type.
enum Answer<Value>: Tryable {
    case right(Value)
    case wrong(Error)

    init(_ value: Value) { self = .right(value) }
    init(_ error: Error) { self = .wrong(error) }

    var value: Value? {
        if case .right(let value) = self { return value }
        return nil
    }

    var error: Error? {
        if case .wrong(let error) = self { return error }
        return nil
    }
}

/// One that is a class, knows how it was read, and maps by itself.
class Checked: Tryable {
    private(set) var reads = 0
    private let stored: Try<Report>

    required init(_ value: Report) { stored = Try(value) }
    required init(_ error: Error) { stored = Try(error) }

    var value: Report? {
        reads += 1
        return stored.value
    }

    var error: Error? { return stored.error }

    func map<Mapped>(_ mapping: (Report) throws -> Mapped) -> Try<Mapped> {
        reads += 10
        return stored.map(mapping)
    }
}

func successes<Source: Tryable>(_ answers: [Source]) -> Int {
    var count = 0
    answers.forEach { $0.forEach { _ in count += 1 } }
    return count
}

func number(_ text: String?) -> Try<Int> {
    return Try {
        guard let number = text.filter({ !$0.isEmpty }).flatMap({ Int($0) }) else { throw WeatherError.unknownCity }
        return number
    }
}
