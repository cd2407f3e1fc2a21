import SimpleFutures
import Testing
@testable import TestSupport

/// `future(method:)` for a shape of completion handlers, or `Future.init(resolver:)`.
struct Wrapper: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The result of each answer that the completion handler can express.
    let outcomes: [Shape.Answer: Outcome<String>]
    /// Wraps a method in a future; values are compared by their description.
    let wrap: @Sendable (_ method: (@escaping Done<Shape.Answer>) throws -> Void) -> Future<String>

    static let all = Shape.allCases.map { Wrapper($0) } + ofFutures

    private init(_ shape: Shape) {
        testDescription = "\(shape)"
        outcomes = Shape.Answer.allCases.reduce(into: [:]) { $0[$1] = shape.outcome(of: $1) }
        wrap = { shape.wrap($0) }
    }

    private init(
        _ name: String, value: String, both: Outcome<String>? = .failure(Oops.other), neither: Outcome<String>? = nil,
        wrap: @escaping @Sendable (_ method: (@escaping Done<Shape.Answer>) throws -> Void) -> Future<String>
    ) {
        testDescription = name
        let all: [Shape.Answer: Outcome<String>?] = [
            .value: .success(value), .error: .failure(Oops.other), .both: both, .neither: neither,
        ]
        outcomes = all.compactMapValues { $0 }
        self.wrap = wrap
    }

    /// The shapes that only futures have.
    private static let ofFutures = [
        Wrapper("a resolver", value: "one", both: nil) { method in
            Future(resolver: { done in try method { done(Try($0.result)) } })
        },
        Wrapper("two values", value: "(\"one\", 1)") { method in
            future { (done: @escaping Done<String, Int, (any Error)?>) in try method { done("one", 1, $0.error) } }
                .map(context: immediate) { "\($0)" }
        },
        Wrapper("an error and a value", value: "one") { method in
            future { (done: @escaping Done<(any Error)?, String>) in try method { done($0.error, "one") } }
        },
        Wrapper("an error and an optional", value: "one", neither: .failure(FuturesError.invalidCompletion)) { method in
            future { (done: @escaping Done<(any Error)?, String?>) in try method { done($0.error, $0.text) } }
        },
        Wrapper("four values, an error among them", value: "(\"one\", nil, true, 1)") { method in
            future { (done: @escaping Done<String, (any Error)?, Bool, Int>) in
                try method { done("one", $0.error, true, 1) }
            }.map(context: immediate) { "\($0)" }
        },
    ]
}

@Suite("future(method:) in every shape, and Future.init(resolver:)", .watchdog)
struct MethodTests {
    /// When the completion handler is called.
    private enum Moment: CaseIterable { case beforeTheMethodReturns, afterItHasReturned, onAnotherThread }

    @Test(arguments: Wrapper.all, Shape.Answer.allCases)
    func `the method is called once, at once, and its completion handler can be called at any moment`(
        wrapper: Wrapper, answer: Shape.Answer
    ) async {
        guard let expected = wrapper.outcomes[answer] else { return }
        for moment in Moment.allCases {
            let context = SerialContext()
            var calls = 0
            var block: Done<Shape.Answer>?
            let future = wrapper.wrap { done in
                calls += 1
                switch moment {
                case .beforeTheMethodReturns: done(answer)
                case .afterItHasReturned: block = done
                case .onAnotherThread: context.execute { done(answer) }
                }
            }
            #expect(calls == 1)
            if moment == .afterItHasReturned {
                #expect(future.ended == .pending)
                block?(answer)
            }
            if moment != .onAnotherThread { #expect(future.ended == expected) }
            #expect(await future.end() == expected)
        }
    }

    @Test(arguments: Wrapper.all)
    func `of two calls the first counts`(wrapper: Wrapper) {
        for (first, expected) in wrapper.outcomes {
            for second in wrapper.outcomes.keys {
                let future = wrapper.wrap { block in
                    block(first)
                    block(second)
                }
                #expect(future.ended == expected, "\(first), then \(second)")
            }
        }
    }

    @Test(arguments: Wrapper.all)
    func `held uncalled, it leaves the future pending, and its release breaks the future`(wrapper: Wrapper) {
        #expect(wrapper.wrap { _ in }.ended == .broken)
        var block: Done<Shape.Answer>?
        let future = wrapper.wrap { block = $0 }
        #expect(block != nil)
        #expect(future.ended == .pending)
        block = nil
        #expect(future.ended == .broken)
    }

    @Test(arguments: Wrapper.all)
    func `an error thrown by the method fails the future, unless the handler was called before`(wrapper: Wrapper) {
        #expect(wrapper.wrap { _ in throw Oops.thrown }.ended == .failure(Oops.thrown))
        var kept: Done<Shape.Answer>?
        let late = wrapper.wrap { block in
            kept = block
            throw Oops.thrown
        }
        kept?(.value)
        #expect(late.ended == .failure(Oops.thrown))
        let early = wrapper.wrap { block in
            block(.value)
            throw Oops.thrown
        }
        #expect(early.ended == wrapper.outcomes[.value])
    }

    @Test(arguments: Wrapper.all, [true, false])
    func `the completion handler keeps the future alive, so that callbacks run, and are released with it`(
        wrapper: Wrapper, isCalled: Bool
    ) {
        let log = Log<String>()
        var block: Done<Shape.Answer>?
        let watch = Watch { probe in
            wrapper.wrap { block = $0 }.onSuccess(context: immediate) { value in
                probe.use()
                log.add(value)
            }
        }
        #expect(!watch.isReleased)
        if isCalled { block?(.value) }
        #expect(log.count == (isCalled ? 1 : 0))
        block = nil
        #expect(watch.isReleased)
    }

    @Test func `one of two completion handlers can be released`() {
        var succeed: Done<Int>?
        let future = future { (success: @escaping Done<Int>, _: @escaping Done<any Error>) in succeed = success }
        #expect(future.ended == .pending)
        succeed?(1)
        #expect(future.ended == .success(1))
    }
}

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
    func wrap(_ method: (@escaping Done<Answer>) throws -> Void) -> Future<String> {
        func optional(_ done: @escaping Done<String?, (any Error)?>) throws { try method { done($0.text, $0.error) } }
        func two(_ done: @escaping Done<String?, Int?, (any Error)?>) throws {
            try method { done($0.text, $0.number, $0.error) }
        }
        return switch self {
        case .value: described(future { done in try method { _ in done("one") } })
        case .valueAndError:
            described(future { (done: @escaping Done<String, (any Error)?>) in try method { done("one", $0.error) } })
        case .optionalAndError: described(future(method: optional) as Future<String>)
        case .optionalAndErrorAsItComes: described(future(method: optional) as Future<String?>)
        case .error: described(future { (done: @escaping Done<(any Error)?>) in try method { done($0.error) } })
        case .nothing: described(future { (done: @escaping @Sendable () -> Void) in try method { _ in done() } })
        case .result:
            described(future { (done: @escaping Done<Result<String, Oops>>) in try method { done($0.result) } })
        case .twoOptionals: described(future(method: two) as Future<(String, Int)>)
        case .twoOptionalsAsTheyCome: described(future(method: two) as Future<(String?, Int?)>)
        case .twoBlocks:
            described(
                future { (succeed: @escaping Done<String>, fail: @escaping Done<any Error>) in
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

/// A completion handler with these parameters.
typealias Done<each Value> = @Sendable (repeat each Value) -> Void

extension Shape.Answer {
    var text: String? { self == .value || self == .both ? "one" : nil }
    var number: Int? { text.map { _ in 1 } }
    var error: Oops? { self == .error || self == .both ? .other : nil }
    var result: Result<String, Oops> { error.map { .failure($0) } ?? .success("one") }
}
