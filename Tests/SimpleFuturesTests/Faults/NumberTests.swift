import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Programmer errors: numbers", .watchdog)
struct NumberTests {
    /// Every function with a capacity.
    enum Call: String, CaseIterable, Codable, CustomTestStringConvertible {
        case stream, ofValue, ofError, dependent, resolver, promise, method, flatMap, recoverWith

        var testDescription: String { rawValue }

        func make(_ capacity: Int) -> FutureStream<Int> {
            switch self {
            case .stream: FutureStream(capacity: capacity)
            case .ofValue: FutureStream(value: 1, capacity: capacity)
            case .ofError: FutureStream(error: Oops.other, capacity: capacity)
            case .dependent: FutureStream(capacity: capacity, dependent: FutureStream())
            case .resolver: FutureStream(capacity: capacity) { $0(.success(1)) }
            case .promise: StreamPromise(capacity: capacity).stream
            case .method: futureStream(capacity: capacity, method: { (block: (Int) -> Void) in block(1) })
            case .flatMap:
                Future(value: 1).flatMap(capacity: capacity, context: immediate) { FutureStream(value: $0) }
            case .recoverWith:
                Future(error: Oops.other)
                    .recoverWith(capacity: capacity, context: immediate) { _ in FutureStream(value: 1) }
            }
        }
    }

    @Test(arguments: Call.allCases, [Int.max, .max - 1, Int(UInt32.max) + 1])
    func `a huge capacity uses no memory until there are elements`(_ call: Call, _ capacity: Int) {
        let stream = call.make(capacity)
        #expect(stream.capacity == capacity)
        let before = stream.count
        if !stream.isFinished {
            for value in 0..<100 { stream.success(value) }
            #expect(stream.count == before + 100)
        }
    }

    @Test(arguments: Call.allCases)
    func `a negative capacity stops the program with a message that says what to do`(_ call: Call) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [call] in
            _ = call.make(-1)
        }
        expect(result, toSay: "A FutureStream was given the capacity -1", "must be 0 or more", "Pass 0")
    }

    @Test func `negative counts stop the program with a message that says what to do`() async {
        let takes = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = FutureStream<Int>().take(.min)
        }
        expect(takes, toSay: "`take` was given the count \(Int.min)", "must be 0 or more", "Pass 0")
        let drops = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = FutureStream<Int>().drop(-1)
        }
        expect(drops, toSay: "`drop` was given the count -1", "must be 0 or more", "Pass 0")
    }

    @Test(arguments: [0, -1, .min])
    func `a traversal of zero at a time stops the program with a message that says what to do`(_ bound: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [bound] in
            _ = [1].traverse(maxConcurrent: bound) { Future(value: $0) }
        }
        expect(result, toSay: "`traverse(maxConcurrent:)` was given \(bound)", "at least 1", "Pass 1")
    }

    @Test(arguments: [0, -1, .min])
    func `zero attempts stop the program with a message that says what to do`(_ attempts: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [attempts] in
            _ = Future<Int>.retry(attempts) { Future(value: 1) }
        }
        expect(result, toSay: "`retry` needs at least 1 attempt but was given \(attempts).", "includes the first")
    }

    @Test(arguments: [0, -1])
    func `a depth of zero stops the program with a message that says what to do`(_ depth: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [depth] in
            _ = MaxStackDepthContext(maxDepth: depth)
        }
        expect(result, toSay: "`MaxStackDepthContext(maxDepth:)` was given \(depth)", "at least 1", "Pass 1")
    }

    @Test func `maximum values are accepted`() {
        #expect(
            [1, 2].traverse(maxConcurrent: .max, context: immediate) { Future(value: $0) }.ended == .success([1, 2]))
        #expect(Future.retry(.max, context: immediate) { Future(value: 1) }.ended == .success(1))
        let stream = FutureStream<Int>()
        let (taken, dropped) = (stream.take(.max), stream.drop(.max))
        stream.success(1)
        stream.finish()
        #expect(taken.state == [1, .finish])
        #expect(dropped.state == [.finish])
    }
}
