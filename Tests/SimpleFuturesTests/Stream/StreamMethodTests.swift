import SimpleFutures
import Testing
@testable import TestSupport

/// The shapes of completion handlers that `futureStream(method:)` accepts; they are called as for `future(method:)`.
extension Shape {
    fileprivate func stream(
        capacity: Int = .max, _ method: (@escaping @Sendable (Answer) -> Void) throws -> Void
    ) -> FutureStream<String> {
        func optional(_ done: @escaping @Sendable (String?, (any Error)?) -> Void) throws {
            try method { done($0.value, $0.failure) }
        }
        func twoOptionals(_ done: @escaping @Sendable (String?, Int?, (any Error)?) -> Void) throws {
            try method { done($0.value, $0.value.map { _ in 1 }, $0.failure) }
        }
        return switch self {
        case .value: described(futureStream(capacity: capacity) { done in try method { _ in done("one") } })
        case .valueAndError:
            described(
                futureStream(capacity: capacity) { (done: @escaping @Sendable (String, (any Error)?) -> Void) in
                    try method { done("one", $0.failure) }
                })
        case .optionalAndError:
            described(futureStream(capacity: capacity, method: optional) as FutureStream<String>)
        case .optionalAndErrorAsItComes:
            described(futureStream(capacity: capacity, method: optional) as FutureStream<String?>)
        case .error:
            futureStream(capacity: capacity) { (done: @escaping @Sendable ((any Error)?) -> Void) in
                try method { done($0.failure) }
            }
            .map(context: immediate) { "()" }
        case .nothing:
            futureStream(capacity: capacity) { (done: @escaping @Sendable () -> Void) in
                try method { _ in done() }
            }
            .map(context: immediate) { "()" }
        case .result:
            described(
                futureStream(capacity: capacity) { (done: @escaping @Sendable (Result<String, Oops>) -> Void) in
                    try method { done($0.failure.map { .failure($0) } ?? .success("one")) }
                })
        case .twoOptionals:
            described(futureStream(capacity: capacity, method: twoOptionals) as FutureStream<(String, Int)>)
        case .twoOptionalsAsTheyCome:
            described(futureStream(capacity: capacity, method: twoOptionals) as FutureStream<(String?, Int?)>)
        case .twoBlocks:
            described(
                futureStream(capacity: capacity) {
                    (succeed: @escaping @Sendable (String) -> Void, fail: @escaping @Sendable (any Error) -> Void) in
                    try method { answer in
                        if let error = answer.failure { fail(error) } else { succeed("one") }
                    }
                })
        }
    }

    private func described<T: Sendable>(_ stream: FutureStream<T>) -> FutureStream<String> {
        stream.map(context: immediate) { "\($0)" }
    }

    /// Returns the element for a call with this answer, or nil if the shape cannot express the answer.
    fileprivate func element(for answer: Answer) -> Heard<String>? {
        switch outcome(of: answer) {
        case .success(let text): .value(text)
        case .error(let text): .error(text)
        default: nil
        }
    }
}

extension Shape.Answer {
    fileprivate var value: String? { self == .value || self == .both ? "one" : nil }
    fileprivate var failure: Oops? { self == .error || self == .both ? .other : nil }
}

@Suite("futureStream(method:) in every shape", .watchdog)
struct StreamMethodTests {
    @Test(arguments: Shape.allCases)
    func `each call is an element, before and after the method returns or throws`(_ shape: Shape) {
        for error in [nil, Oops.thrown] {
            var block: (@Sendable (Shape.Answer) -> Void)?
            let answers = Shape.Answer.allCases.filter { shape.element(for: $0) != nil }
            let stream = shape.stream { emit in
                for answer in answers { emit(answer) }
                block = emit
                if let error { throw error }
            }
            for answer in answers { block?(answer) }
            let elements = answers.compactMap { shape.element(for: $0) }
            #expect(!elements.isEmpty)
            let all = elements + (error == nil ? [] : [.failure(Oops.thrown)]) + elements
            #expect(stream.state == all)
            block = nil
            #expect(stream.state == all + [.finish])
        }
        #expect(shape.stream { _ in }.state == [.finish])
        #expect(shape.stream { _ in throw Oops.thrown }.state == [.failure(Oops.thrown), .finish])
    }

    @Test(arguments: Shape.allCases)
    func `the handler can be called on several threads`(_ shape: Shape) async {
        let stream = Box<FutureStream<String>?>(nil)
        let block = Box<(@Sendable (Shape.Answer) -> Void)?>(nil)
        stream.value = shape.stream { block.value = $0 }
        let emit = block.value
        block.value = nil
        await together(
            { for _ in 0..<100 { emit?(.value) } }, { for _ in 0..<100 { emit?(.value) } })
        // The other thread may have been asked to deliver the last elements.
        await until { stream.value?.count == 200 }
    }

    @Test(arguments: Shape.allCases)
    func `the capacity is passed to the stream, and callbacks are released with the handler`(_ shape: Shape) {
        let stream = shape.stream(capacity: 2) { emit in for _ in 0..<5 { emit(.value) } }
        #expect(stream.capacity == 2)
        #expect(stream.count <= 2)
        var block: (@Sendable (Shape.Answer) -> Void)?
        let watch = Watch { probe in
            shape.stream { block = $0 }.onSuccess(context: immediate) { _ in probe.use() }
        }
        block?(.value)
        #expect(!watch.isReleased)
        block = nil
        #expect(watch.isReleased)
    }

    @Test func `a call without one of the two values is an invalid completion`() {
        let stream: FutureStream<(Int, String)> = futureStream { (emit: (Int?, String?, (any Error)?) -> Void) in
            emit(1, nil, nil)
            emit(1, "two", nil)
            emit(1, nil, Oops.other)
        }
        let described = stream.map(context: immediate) { "\($0)" }
        #expect(
            described.state == [
                .failure(FuturesError.invalidCompletion), "(1, \"two\")", .failure(Oops.other), .finish,
            ])
    }

    @Test func `releasing the second of two handlers finishes the stream`() {
        var succeed: (@Sendable (Int) -> Void)?
        var fail: (@Sendable (any Error) -> Void)?
        typealias Block<Value> = @Sendable (Value) -> Void
        let stream = futureStream { (success: @escaping Block<Int>, failure: @escaping Block<any Error>) in
            succeed = success
            fail = failure
        }
        succeed?(1)
        succeed = nil
        #expect(!stream.isFinished)
        fail?(Oops.other)
        fail = nil
        #expect(stream.state == [1, .failure(Oops.other), .finish])
    }

    @Test(arguments: [true, false])
    func `a call of the handler for the end finishes the stream, after the error if there is one`(_ fails: Bool) {
        func read(_ chunk: @escaping @Sendable (Int) -> Void, _ end: @escaping @Sendable ((any Error)?) -> Void) {
            chunk(1)
            chunk(2)
            end(fails ? Oops.source : nil)
        }
        let blocks = Box<(@Sendable (Int) -> Void)?>(nil)
        let chunks = futureStream(method: { (chunk: @escaping @Sendable (Int) -> Void, end) in
            // Keeping the value handler alive does not keep the stream open.
            blocks.value = chunk
            read(chunk, end)
        })
        #expect(chunks.state == (fails ? [1, 2, .failure(Oops.source), .finish] : [1, 2, .finish]))
    }
}

/// A typical API with a repeated callback, written before Swift 6.
private final class Sensor: Sendable {
    func observe(update: @escaping (Int?, (any Error)?) -> Void) {
        update(4, nil)
        update(nil, Oops.other)
        update(nil, nil)
    }
    func observePlain(update: @escaping (Int, (any Error)?) -> Void) { update(4, nil) }
    func watch(id: Int, update: @escaping (String?, (any Error)?) -> Void) { update("\(id)", nil) }
    func fail(update: @escaping ((any Error)?) -> Void) { update(nil) }
    func count(update: @escaping (Int) -> Void) { for value in 1...3 { update(value) } }
    func tick(update: @escaping () -> Void) { update() }
    func result(update: @escaping (Result<Int, Oops>) -> Void) { update(.success(4)) }
    func data(update: @escaping ([UInt8]?, String?, (any Error)?) -> Void) { update([1], "text", nil) }
    func find(found: @escaping (Int) -> Void, failed: @escaping (any Error) -> Void) { found(4) }
    func throwing(update: @escaping (Int) -> Void) throws { throw Oops.thrown }
    func progress(update: @escaping (Int, Int) -> Void) { for done in 1...2 { update(done, 2) } }
    func sendableProgress(update: @escaping @Sendable (Int, Int) -> Void) { update(1, 2) }
    func stateOrError(update: @escaping ((any Error)?, String, Bool) -> Void) {
        update(nil, "on", true)
        update(Oops.other, "off", false)
    }
    func sendable(update: @escaping @Sendable (Int?, (any Error)?) -> Void) { update(4, nil) }
}

@Suite("futureStream(method:) without annotation", .watchdog)
struct StreamInferenceTests {
    private let sensor = Sensor()

    @Test func `a value and an error, both optional, mean a stream of an optional`() {
        let inferred = futureStream(method: sensor.observe)
        let same: FutureStream<Int?> = inferred
        #expect(same.state == [.value(4), .failure(Oops.other), .value(nil), .finish])
        #expect(futureStream(method: sensor.sendable).state == [Heard<Int?>.value(4), .finish])
    }

    @Test func `with a type annotation it is unwrapped`() {
        let unwrapped: FutureStream<Int> = futureStream(capacity: 2, method: sensor.observe)
        #expect(unwrapped.state == [.failure(Oops.other), .failure(FuturesError.invalidCompletion), .finish])
    }

    @Test func `each other shape gives the type of its values`() {
        let plain: FutureStream<Int> = futureStream(method: sensor.observePlain)
        #expect(plain.state == [4, .finish])
        let failing: FutureStream<Void> = futureStream(method: sensor.fail)
        #expect(failing.count == 1)
        #expect(futureStream(method: sensor.count).state == [1, 2, 3, .finish])
        let ticks: FutureStream<Void> = futureStream(method: sensor.tick)
        #expect(ticks.count == 1)
        #expect(futureStream(method: sensor.result).state == [4, .finish])
        #expect(futureStream(method: sensor.data).map(context: immediate) { $0.1 ?? "" }.state == ["text", .finish])
        #expect(futureStream(method: sensor.find).state == [4, .finish])
        #expect(futureStream(method: sensor.throwing).state == [.failure(Oops.thrown), .finish])
    }

    @Test func `several values in any order are one element, a failure if there is an error among them`() {
        let progress = futureStream(method: sensor.progress).map(context: immediate) { done, all in "\(done)/\(all)" }
        #expect(progress.state == ["1/2", "2/2", .finish])
        let closure: FutureStream<(Int, Int)> = futureStream(capacity: 1) { sensor.progress(update: $0) }
        #expect(closure.count == 1)
        let states = futureStream { sensor.stateOrError(update: $0) }
            .map(context: immediate) { _, name, isOn in "\(name) \(isOn)" }
        #expect(states.state == ["on true", .failure(Oops.other), .finish])
        let marked = futureStream { sensor.sendableProgress(update: $0) }
        #expect(marked.map(context: immediate) { done, all in done + all }.state == [3, .finish])
    }

    @Test func `a method with more arguments is passed as a closure`() {
        let watched = futureStream(method: { sensor.watch(id: 4, update: $0) })
        let same: FutureStream<String?> = watched
        #expect(same.state == [.value("4"), .finish])
        let unwrapped: FutureStream<String> = futureStream(capacity: 0) { sensor.watch(id: 4, update: $0) }
        #expect(unwrapped.isFinished)
        let both = futureStream { sensor.find(found: $0, failed: $1) }
        #expect(both.state == [4, .finish])
        let throwing = futureStream { try sensor.throwing(update: $0) }
        #expect(throwing.state == [.failure(Oops.thrown), .finish])
    }
}
