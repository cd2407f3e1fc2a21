import SimpleFutures
import Testing
@testable import TestSupport

@Suite("FutureStream: zip", .watchdog)
struct StreamZipTests {
    private let left = FutureStream<Int>()
    private let right = FutureStream<Int>()

    private func pairs(_ zipped: FutureStream<(Int, Int)>) -> FutureStream<String> {
        zipped.map(context: immediate) { "\($0)-\($1)" }
    }

    @Test func `elements are paired, also if one waits for the other`() {
        let zipped = pairs(left.zip(right))
        for value in 1...3 { left.success(value) }
        #expect(zipped.state == [])
        for value in 11...14 { right.success(value) }
        left.success(4)
        #expect(zipped.state == ["1-11", "2-12", "3-13", "4-14"])
    }

    @Test func `the function and the method are the same, and replayed elements count`() {
        left.success(1)
        right.success(2)
        #expect(pairs(zip(left, right)).state == ["1-2"])
        #expect(pairs(right.zip(left)).state == ["2-1"])
    }

    @Test func `a failure makes the pair a failure; of two failures, the first stream's counts`() {
        let zipped = pairs(left.zip(right))
        left.success(1)
        right.failure(Oops.other)
        left.failure(Oops.source)
        right.success(2)
        left.failure(Oops.source)
        right.failure(Oops.other)
        left.success(3)
        right.success(4)
        #expect(
            zipped.state == [.failure(Oops.other), .failure(Oops.source), .failure(Oops.source), "3-4"])
    }

    @Test func `it finishes when one has ended and all its elements have been paired`() {
        let zipped = pairs(left.zip(right))
        left.success(1)
        left.success(2)
        left.finish()
        #expect(zipped.state == [])
        right.success(11)
        #expect(!zipped.isFinished)
        right.success(12)
        #expect(zipped.state == ["1-11", "2-12", .finish])
        #expect(right.core.subscriberCount == 0)
    }

    @Test func `with a stream that ends without elements it finishes at once, and releases the other`() {
        let zipped = pairs(left.zip(right))
        right.success(1)
        left.finish()
        #expect(zipped.state == [.finish])
        #expect(right.core.subscriberCount == 0)
        let later = pairs(right.zip(left))
        #expect(later.state == [.finish])
        #expect(right.core.subscriberCount == 0)
    }

    @Test(arguments: [true, false])
    func `it is canceled when one stream is, after the existing pairs`(_ isFirst: Bool) {
        let source = Emitter()
        let zipped = isFirst ? pairs(source.stream.zip(right)) : pairs(right.zip(source.stream))
        source.emit(1, 2)
        source.end(.cancellation)
        right.success(1)
        #expect(zipped.state == ["1-1"])
        right.success(2)
        #expect(zipped.state == ["1-1", "2-2", .cancel])
    }

    @Test func `a stream can be zipped with itself`() {
        let zipped = pairs(left.zip(left))
        left.success(1)
        left.failure(Oops.source)
        left.success(2)
        left.finish()
        #expect(zipped.state == ["1-1", .failure(Oops.source), "2-2", .finish])
    }

    @Test(arguments: [true, false])
    func `a token unsubscribes it from both streams`(_ isToken: Bool) {
        let token = CancelToken()
        let zipped = pairs(left.zip(right, cancelToken: token))
        left.success(1)
        if isToken { token.cancel() } else { #expect(right.cancel(token)) }
        right.success(1)
        #expect(zipped.state == [.cancel])
        #expect(left.core.subscriberCount == 0)
        #expect(right.core.subscriberCount == 0)
        #expect(token.registrationCount == 0)
    }

    @Test func `unpaired elements are released at the end`() {
        let waiting = FutureStream<Probe>(capacity: 0)
        let zipped = waiting.zip(right)
        let watch = Watch { waiting.success($0) }
        #expect(!watch.isReleased)
        right.finish()
        #expect(zipped.isFinished)
        #expect(watch.isReleased)
    }

    @Test func `released objects are destroyed outside its lock`() async {
        // An unpaired value's deinit emits into the zipped stream and runs the deferred callbacks.
        await #expect(processExitsWith: .success) {
            let left = FutureStream<AtDeinit>(capacity: 0)
            let right = FutureStream<Int>(capacity: 0)
            let isOver = Box(false)
            left.zip(right).onComplete(context: ImmediateContext()) { _ in }
            left.success(
                AtDeinit {
                    left.success(AtDeinit {})
                    ImmediateContext.runPending()
                    isOver.value = true
                })
            right.failure(Failure())
            precondition(isOver.value)
        }
    }

    @Test func `with two emitting threads all elements are paired in order`() {
        race(rounds: Stress.rounds(100)) {
            ZipArena()
        } _: { arena in
            for value in 0..<20 { arena.left.success(value) }
            arena.left.finish()
        } _: { arena in
            for value in 0..<20 { arena.right.success(value) }
            arena.right.finish()
        } check: { arena in
            try verify(arena.log.all == Array(0..<20) + [-1], "in order, not \(arena.log.all)")
        }
    }
}

private struct ZipArena: Sendable {
    let left = FutureStream<Int>(capacity: 0)
    let right = FutureStream<Int>(capacity: 0)
    let log = Log<Int>()

    init() {
        let zipped = left.zip(right)
        zipped.onSuccess(context: immediate) { [log] in log.add($0 == $1 ? $0 : -2) }
        zipped.onFinish(context: immediate) { [log] in log.add(-1) }
    }
}
