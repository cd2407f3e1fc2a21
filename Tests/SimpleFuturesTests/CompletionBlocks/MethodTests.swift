import SimpleFutures
import Testing
@testable import TestSupport

@Suite("future(method:) in every shape", .watchdog)
struct MethodTests {
    @Test(arguments: Shape.allCases, Shape.Answer.allCases)
    func `the completion handler can be called before the method returns`(shape: Shape, answer: Shape.Answer) {
        guard let expected = shape.outcome(of: answer) else { return }
        #expect(shape.wrap { $0(answer) }.ended == expected)
    }

    @Test(arguments: Shape.allCases, Shape.Answer.allCases)
    func `the completion handler can be called after the method has returned`(shape: Shape, answer: Shape.Answer) {
        guard let expected = shape.outcome(of: answer) else { return }
        var block: (@Sendable (Shape.Answer) -> Void)?
        let future = shape.wrap { block = $0 }
        #expect(future.ended == .pending)
        block?(answer)
        #expect(future.ended == expected)
    }

    @Test(arguments: Shape.allCases, Shape.Answer.allCases)
    func `the completion handler can be called on another thread`(shape: Shape, answer: Shape.Answer) async {
        guard let expected = shape.outcome(of: answer) else { return }
        let context = SerialContext()
        let future = shape.wrap { block in context.execute { block(answer) } }
        #expect(await future.end() == expected)
    }

    @Test(arguments: Shape.allCases, Shape.Answer.allCases)
    func `of two calls the first counts`(shape: Shape, second: Shape.Answer) {
        guard shape.outcome(of: second) != nil else { return }
        for first in Shape.Answer.allCases {
            guard let expected = shape.outcome(of: first) else { continue }
            let future = shape.wrap { block in
                block(first)
                block(second)
            }
            #expect(future.ended == expected)
        }
    }

    @Test(arguments: Shape.allCases)
    func `released uncalled, it breaks the future`(shape: Shape) {
        #expect(shape.wrap { _ in }.ended == .broken)
    }

    @Test(arguments: Shape.allCases)
    func `held uncalled, it leaves the future pending, and its release breaks the future`(shape: Shape) {
        var block: (@Sendable (Shape.Answer) -> Void)?
        let future = shape.wrap { block = $0 }
        #expect(block != nil)
        #expect(future.ended == .pending)
        block = nil
        #expect(future.ended == .broken)
    }

    @Test(arguments: Shape.allCases)
    func `an error thrown by the method fails the future`(shape: Shape) {
        #expect(shape.wrap { _ in throw Oops.thrown }.ended == .failure(Oops.thrown))
        var kept: (@Sendable (Shape.Answer) -> Void)?
        let late = shape.wrap { block in
            kept = block
            throw Oops.thrown
        }
        kept?(.value)
        #expect(late.ended == .failure(Oops.thrown))
    }

    @Test(arguments: Shape.allCases)
    func `an error thrown after the completion handler was called is ignored`(shape: Shape) {
        let future = shape.wrap { block in
            block(.value)
            throw Oops.thrown
        }
        #expect(future.ended == shape.outcome(of: .value))
    }

    @Test(arguments: Shape.allCases)
    func `the method is called once, at once`(shape: Shape) {
        var calls = 0
        _ = shape.wrap { block in
            calls += 1
            block(.value)
        }
        #expect(calls == 1)
    }

    @Test(arguments: Shape.allCases)
    func `the completion handler keeps the future alive, so that callbacks run`(shape: Shape) {
        let log = Log<String>()
        var block: (@Sendable (Shape.Answer) -> Void)?
        shape.wrap { block = $0 }.onSuccess(context: immediate) { log.add($0) }
        block?(.value)
        #expect(log.count == 1)
    }

    @Test(arguments: Shape.allCases)
    func `callbacks are released with the completion handler`(shape: Shape) {
        var block: (@Sendable (Shape.Answer) -> Void)?
        let watch = Watch { probe in
            shape.wrap { block = $0 }.onSuccess(context: immediate) { _ in probe.use() }
        }
        #expect(!watch.isReleased)
        #expect(block != nil)
        block = nil
        #expect(watch.isReleased)
    }

    @Test func `if one of two values is missing, the completion is invalid`() {
        let future: Future<(Int, String)> = future { (done: (Int?, String?, (any Error)?) -> Void) in
            done(1, nil, nil)
        }
        #expect(future.map(context: immediate) { $0.0 }.ended == .failure(FuturesError.invalidCompletion))
    }

    @Test func `one of two completion handlers can be released`() {
        var succeed: (@Sendable (Int) -> Void)?
        typealias Block<Value> = @Sendable (Value) -> Void
        let future = future { (success: @escaping Block<Int>, _: @escaping Block<any Error>) in succeed = success }
        #expect(future.ended == .pending)
        succeed?(1)
        #expect(future.ended == .success(1))
    }
}
