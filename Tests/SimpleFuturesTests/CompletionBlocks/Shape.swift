import SimpleFutures
@testable import TestSupport

/// The shapes of completion handlers that `future(method:)` accepts.
enum Shape: CaseIterable, Sendable {
    case value, valueAndError, optionalAndError, optionalAndErrorAsItComes, error, nothing, result
    case twoOptionals, twoOptionalsAsTheyCome, twoBlocks

    /// The arguments of a completion handler.
    enum Answer: CaseIterable, Sendable {
        case value, error, neither, both
    }

    /// Wraps a method with this shape in a future.
    ///
    /// Values are compared by their description.
    func wrap(_ method: (@escaping @Sendable (Answer) -> Void) throws -> Void) -> Future<String> {
        switch self {
        case .value: described(future { done in try method { _ in done("one") } })
        case .valueAndError:
            described(
                future { (done: @escaping @Sendable (String, (any Error)?) -> Void) in
                    try method { done("one", $0.error) }
                })
        case .optionalAndError:
            described(
                future { (done: @escaping @Sendable (String?, (any Error)?) -> Void) in
                    try method { done($0.text, $0.error) }
                } as Future<String>)
        case .optionalAndErrorAsItComes:
            described(
                future { (done: @escaping @Sendable (String?, (any Error)?) -> Void) in
                    try method { done($0.text, $0.error) }
                } as Future<String?>)
        case .error:
            future { (done: @escaping @Sendable ((any Error)?) -> Void) in try method { done($0.error) } }
                .map(context: immediate) { "()" }
        case .nothing:
            future { (done: @escaping @Sendable () -> Void) in try method { _ in done() } }
                .map(context: immediate) { "()" }
        case .result:
            described(
                future { (done: @escaping @Sendable (Result<String, Oops>) -> Void) in
                    try method { done($0.error.map { .failure($0) } ?? .success("one")) }
                })
        case .twoOptionals:
            described(
                future { (done: @escaping @Sendable (String?, Int?, (any Error)?) -> Void) in
                    try method { done($0.text, $0.number, $0.error) }
                } as Future<(String, Int)>)
        case .twoOptionalsAsTheyCome:
            described(
                future { (done: @escaping @Sendable (String?, Int?, (any Error)?) -> Void) in
                    try method { done($0.text, $0.number, $0.error) }
                } as Future<(String?, Int?)>)
        case .twoBlocks:
            described(
                future {
                    (succeed: @escaping @Sendable (String) -> Void, fail: @escaping @Sendable (any Error) -> Void) in
                    try method { answer in
                        if let error = answer.error { fail(error) } else { succeed("one") }
                    }
                })
        }
    }

    private func described<T: Sendable>(_ future: Future<T>) -> Future<String> {
        future.map(context: immediate) { "\($0)" }
    }

    /// The result of each answer in this shape; nil if the shape cannot express it.
    func outcome(of answer: Answer) -> Outcome<String>? {
        switch (self, answer) {
        case (.value, .value), (.valueAndError, .value), (.optionalAndError, .value), (.result, .value),
            (.twoBlocks, .value):
            .success("one")
        case (.optionalAndErrorAsItComes, .value): .success("Optional(\"one\")")
        case (.error, .value), (.nothing, .value): .success("()")
        case (.twoOptionals, .value): .success("(\"one\", 1)")
        case (.twoOptionalsAsTheyCome, .value): .success("(Optional(\"one\"), Optional(1))")
        case (.value, _), (.nothing, _): nil
        case (.result, .neither), (.result, .both), (.twoBlocks, .neither), (.twoBlocks, .both): nil
        case (_, .error), (_, .both): .failure(Oops.other)
        case (.optionalAndError, .neither), (.twoOptionals, .neither): .failure(FuturesError.invalidCompletion)
        case (.optionalAndErrorAsItComes, .neither): .success("nil")
        case (.twoOptionalsAsTheyCome, .neither): .success("(nil, nil)")
        case (.error, .neither), (.valueAndError, .neither): nil
        }
    }
}

extension Shape.Answer {
    fileprivate var text: String? { self == .value || self == .both ? "one" : nil }

    fileprivate var number: Int? { text.map { _ in 1 } }

    fileprivate var error: Oops? { self == .error || self == .both ? .other : nil }
}
