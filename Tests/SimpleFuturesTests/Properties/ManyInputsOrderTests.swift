import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promises 4 and 8: many inputs, one at a time, and none after the end", .watchdog)
struct ManyInputsOrderTests {
    private let promises = (0..<3).map { _ in Promise<Int>() }
    private var inputs: [Future<Int>] { promises.map(\.future) }

    @Test func `whoever sees that a value was found sees no other closure begin`() {
        let manual = ManualContext()
        let log = Log<Int>()
        let found = inputs.find(context: manual) { value in
            log.add(value)
            return true
        }
        // Run by those who see the end, before anything else can be.
        found.onComplete(context: immediate) { _ in manual.run() }
        for (index, promise) in promises.enumerated() { promise.success(index) }
        manual.runNext()
        #expect(found.ended == .success(0))
        #expect(log.all == [0])
        #expect(inputs.allSatisfy { $0.observerCount == 0 })
    }

    @Test func `whoever sees that a fold has failed sees no other value combined`() {
        let manual = ManualContext()
        let log = Log<Int>()
        let folded = inputs.fold(context: manual, initial: 0) { sum, value in
            log.add(value)
            return sum + value
        }
        folded.onComplete(context: immediate) { _ in manual.run() }
        promises[0].success(1)
        #expect(manual.pendingCount == 1)
        promises[2].failure(Oops.source)
        #expect(inputs.allSatisfy { $0.observerCount == 0 })
        promises[1].success(2)
        manual.run()
        #expect(folded.ended == .failure(Oops.source))
        #expect(log.count == 0)
    }

    @Test func `a value that comes while another is combined waits for that`() async {
        let (isInside, mayGoOn) = (Gate(), Gate())
        let log = Log<Int>()
        let folded = inputs.fold(context: immediate, initial: 0) { sum, value in
            log.add(value)
            if value == 1 {
                isInside.open()
                mayGoOn.pass()
            }
            log.add(-value)
            return 10 * sum + value
        }
        await together(
            { [promises] in promises[0].success(1) },
            { [promises] in
                isInside.pass()
                promises[1].success(2)
                promises[2].success(3)
                mayGoOn.open()
            })
        #expect(log.all == [1, -1, 2, -2, 3, -3])
        #expect(folded.ended == .success(123))
    }

    @Test func `a fold of many yields to others on its context`() {
        let manual = ManualContext()
        let log = Log<Int>()
        let folded = (0..<1000).map { Future(value: $0) }.fold(context: manual, initial: 0) { count, value in
            if value != count { log.add(-1) }
            return count + 1
        }
        manual.execute { log.add(folded.completed ? -1 : 1) }
        #expect(manual.run() > 1000 / 64)
        #expect(folded.ended == .success(1000))
        #expect(log.all == [1])
    }

    @Test(arguments: [true, false])
    func `a race is not over before its last input`(isFind: Bool) {
        let result = isFind ? inputs.find(context: immediate) { $0 == 3 } : inputs.firstSucceeded()
        promises[0].failure(Oops.source)
        if isFind { promises[1].success(1) } else { promises[1].failure(Oops.source) }
        #expect(result.ended == .pending)
        promises[2].success(3)
        #expect(result.ended == .success(3))
    }

    @Test(arguments: [true, false])
    func `a retry that has ended leaves its token as it was, and no timer`(isCompletedByHand: Bool) {
        let manual = ManualContext()
        let token = CancelToken()
        let result = Future<Int>.retry(2, delay: .seconds(1), context: manual, cancelToken: token) {
            Future(error: Oops.source)
        }
        manual.run()
        #expect(manual.timerCount == 1)
        if isCompletedByHand { result.success(1) } else { manual.advance(by: .seconds(1)) }
        #expect(result.ended == (isCompletedByHand ? .success(1) : .failure(Oops.source)))
        #expect(manual.pendingCount == 0)
        #expect(!token.isCancelled && token.registrationCount == 0)
    }

    @Test func `values that come while a fold fails find that it has ended`() {
        final class Arena: Sendable {
            let promises = (0..<64).map { _ in Promise<Int>() }
            let failing = Promise<Int>()
            let result = Box<Future<Int>?>(nil)
        }
        race { () -> Arena in
            let arena = Arena()
            let inputs = arena.promises.map(\.future) + [arena.failing.future]
            arena.result.value = inputs.fold(context: immediate, initial: 0) { $0 + $1 }
            return arena
        } _: { arena in
            for promise in arena.promises { promise.success(1) }
        } _: { arena in
            arena.failing.failure(Oops.source)
        } check: { arena in
            let outcome = arena.result.value?.ended
            try verify(outcome == .failure(Oops.source), "it is \(outcome, default: "none")")
        }
    }
}
