import SimpleFutures
import Testing
@testable import TestSupport

/// The shapes of completion handlers that `futureStream(method:)` accepts; they are called as for `future(method:)`.
extension Shape {
    fileprivate func stream(
        capacity: Int = .max, _ method: (@escaping Done<Answer>) throws -> Void
    ) -> FutureStream<String> {
        func optional(_ done: @escaping Done<String?, (any Error)?>) throws { try method { done($0.text, $0.error) } }
        func two(_ done: @escaping Done<String?, Int?, (any Error)?>) throws {
            try method { done($0.text, $0.number, $0.error) }
        }
        return switch self {
        case .value: described(futureStream(capacity: capacity) { done in try method { _ in done("one") } })
        case .valueAndError:
            described(
                futureStream(capacity: capacity) { (done: @escaping Done<String, (any Error)?>) in
                    try method { done("one", $0.error) }
                })
        case .optionalAndError: described(futureStream(capacity: capacity, method: optional) as FutureStream<String>)
        case .optionalAndErrorAsItComes:
            described(futureStream(capacity: capacity, method: optional) as FutureStream<String?>)
        case .error:
            described(
                futureStream(capacity: capacity) { (done: @escaping Done<(any Error)?>) in
                    try method { done($0.error) }
                })
        case .nothing:
            described(
                futureStream(capacity: capacity) { (done: @escaping @Sendable () -> Void) in
                    try method { _ in done() }
                })
        case .result:
            described(
                futureStream(capacity: capacity) { (done: @escaping Done<Result<String, Oops>>) in
                    try method { done($0.result) }
                })
        case .twoOptionals: described(futureStream(capacity: capacity, method: two) as FutureStream<(String, Int)>)
        case .twoOptionalsAsTheyCome:
            described(futureStream(capacity: capacity, method: two) as FutureStream<(String?, Int?)>)
        case .twoBlocks:
            described(
                futureStream(capacity: capacity) { (succeed: @escaping Done<String>, fail: @escaping Done<any Error>) in
                    try method { answer in
                        if let error = answer.error { fail(error) } else { succeed("one") }
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

@Suite("futureStream(method:) in every shape", .watchdog)
struct StreamMethodTests {
    @Test(arguments: Shape.allCases)
    func `each call is an element, before and after the method returns or throws`(_ shape: Shape) {
        for error in [nil, Oops.thrown] {
            var block: Done<Shape.Answer>?
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
        let block = Box<Done<Shape.Answer>?>(nil)
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
        var block: Done<Shape.Answer>?
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
        var (succeed, fail): (Done<Int>?, Done<any Error>?)
        let stream = futureStream { (success: @escaping Done<Int>, failure: @escaping Done<any Error>) in
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
        let blocks = Box<Done<Int>?>(nil)
        let chunks = futureStream(method: { (chunk: @escaping Done<Int>, end: @escaping Done<(any Error)?>) in
            // Keeping the value handler alive does not keep the stream open.
            blocks.value = chunk
            for number in 1...2 { chunk(number) }
            end(fails ? Oops.source : nil)
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
    func watch(id: Int, update: @escaping (String?, (any Error)?) -> Void) { update("\(id)", nil) }
    func data(update: @escaping ([UInt8]?, String?, (any Error)?) -> Void) { update([1], "text", nil) }
    func find(found: @escaping (Int) -> Void, failed: @escaping (any Error) -> Void) { found(4) }
    func throwing(update: @escaping (Int) -> Void) throws { throw Oops.thrown }
    func progress(update: @escaping (Int, Int) -> Void) { for done in 1...2 { update(done, 2) } }
    func sendableProgress(update: @escaping @Sendable (Int, Int) -> Void) { update(1, 2) }
    func stateOrError(update: @escaping ((any Error)?, String, Bool) -> Void) {
        update(nil, "on", true)
        update(Oops.other, "off", false)
    }
}

// The client tests in `MainActorClient` pass a method of every other shape.
@Suite("futureStream(method:) without annotation", .watchdog)
struct StreamInferenceTests {
    private let sensor = Sensor()

    @Test func `an optional value stays optional, with a type annotation it is unwrapped`() {
        let inferred = futureStream(method: sensor.observe)
        let same: FutureStream<Int?> = inferred
        #expect(same.state == [.value(4), .failure(Oops.other), .value(nil), .finish])
        let unwrapped: FutureStream<Int> = futureStream(capacity: 2, method: sensor.observe)
        #expect(unwrapped.state == [.failure(Oops.other), .failure(FuturesError.invalidCompletion), .finish])
        let closure = futureStream(method: { sensor.watch(id: 4, update: $0) })
        let sameToo: FutureStream<String?> = closure
        #expect(sameToo.state == [.value("4"), .finish])
        #expect(futureStream(method: sensor.data).map(context: immediate) { $0.1 ?? "" }.state == ["text", .finish])
        #expect(futureStream(method: sensor.find).state == [4, .finish])
        #expect(futureStream(method: sensor.throwing).state == [.failure(Oops.thrown), .finish])
        #expect(futureStream { try sensor.throwing(update: $0) }.state == [.failure(Oops.thrown), .finish])
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
}
