import Dispatch
import Foundation
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promise 11: what a wait in a callback has not run comes after it, in order", .watchdog)
struct AfterWaitTests {
    /// The work that a thread still has when one of its callbacks waits.
    enum Rest: CaseIterable {
        /// Later callbacks of the same future.
        case callbacks
        /// Elements of the same stream, for another subscriber.
        case elements
        /// Callbacks of a future that the waiting callback has completed; on a context that runs them at once.
        case completed, completedAtOnce
        /// Elements that the waiting callback has emitted; on a context that runs its tasks at once.
        case emitted, emittedAtOnce
        /// The end of a stream that it has finished.
        case finished
    }

    @Test(arguments: Rest.allCases)
    func `it starts no callback after its timeout, and the rest runs afterwards`(_ rest: Rest) async {
        let (heard, countAtTimeout) = (Log<Int>(), Box(0))
        let (first, second) = (Future<Void>(), Future<Void>())
        let (numbers, emitted) = (FutureStream<Int>(capacity: 0), FutureStream<Int>(capacity: 0))
        let slow = { @Sendable (number: Int) in
            heard.add(number)
            Thread.sleep(forTimeInterval: 0.04)
        }
        let wait = { @Sendable in
            #expect(throws: FuturesError.timedOut) { try Future<Int>().wait(timeout: .milliseconds(60)) }
            countAtTimeout.value = heard.all.count
        }
        first.onSuccess(context: immediate) {
            for number in 0..<5 {
                if rest == .elements { numbers.success(number) }
                if rest == .emitted || rest == .emittedAtOnce { emitted.success(number) }
            }
            second.success()
            emitted.finish()
            if rest != .elements { wait() }
        }
        numbers.onSuccess(context: immediate) { if $0 == 0 { wait() } }
        numbers.onSuccess(context: immediate, completion: slow)
        emitted.onSuccess(context: rest == .emittedAtOnce ? AtOnce() : immediate, completion: slow)
        for number in 0..<5 {
            switch rest {
            case .callbacks: first.onSuccess(context: immediate) { slow(number) }
            case .completed: second.onSuccess(context: immediate) { slow(number) }
            case .completedAtOnce: second.onSuccess(context: AtOnce()) { slow(number) }
            case .finished: emitted.onFinish(context: immediate) { slow(number) }
            case .elements, .emitted, .emittedAtOnce: break
            }
        }
        await onThread { first.success() }
        #expect(countAtTimeout.value <= 2)
        #expect(heard.all == Array(0..<5))
    }

    /// Takes a step in a callback, which then waits for a tenth of a second.
    private func wait(after step: @escaping @Sendable () -> Void) async {
        await onThread {
            inCallback {
                step()
                _ = try? Future<Void>().wait(timeout: .milliseconds(100))
            }
        }
    }

    /// Takes longer than the wait.
    private static func outlast() { Thread.sleep(forTimeInterval: 0.2) }

    @Test func `what nested waits have left runs first after the outer one, even if that is over first`() async {
        let (future, inner, later, heard) = (Future<Void>(), Promise<Void>(), Future<Void>(), Log<Int>())
        future.onSuccess(context: AtOnce()) {
            try? inner.future.wait()
            heard.add(1)
            Self.outlast()
        }
        future.onSuccess(context: AtOnce()) { inner.success() }
        future.onSuccess(context: AtOnce()) { heard.add(2) }
        later.onSuccess(context: immediate) { heard.add(3) }
        await wait {
            future.success()
            later.success()
        }
        #expect(heard.all == [1, 2, 3])
    }

    @Test func `what nested waits have left of the callbacks of another thread runs after them`() async {
        let (future, first, second, heard) = (Future<Void>(), Promise<Void>(), Promise<Void>(), Log<Int>())
        let (hasStarted, hasLeft, hasBegun, hasReturned) = (Signal(), Signal(), Signal(), Signal())
        future.onSuccess(context: immediate) {
            hasStarted.open()
            #expect(hasLeft.pass())
            _ = try? Future<Void>().wait(timeout: .milliseconds(100))
        }
        async let added: Void = onThread {
            #expect(hasStarted.pass())
            future.onSuccess(context: AtOnce()) {
                future.onSuccess(context: AtOnce()) { first.success() }
                // The other thread goes on here.
                future.onSuccess(context: AtOnce()) {
                    hasBegun.open()
                    #expect(hasReturned.pass())
                    try? second.future.wait()
                    Self.outlast()
                }
                future.onSuccess(context: AtOnce()) { second.success() }
                future.onSuccess(context: AtOnce()) { heard.add(1) }
                try? first.future.wait()
                hasLeft.open()
                #expect(hasBegun.pass())
            }
            hasReturned.open()
        }
        await onThread { future.success() }
        await added
        #expect(heard.all == [1])
    }

    @Test func `a derived future that needs no code of the user's ends, even if the wait is over before`() async {
        let future = Future<Int>()
        future.onFailure(context: immediate) { _ in }
        let derived = future.map(context: AtOnce()) { $0 }
        await wait {
            future.failure(Failure())
            future.onFailure(context: AtOnce()) { _ in Self.outlast() }
        }
        #expect(derived.result?.error is Failure)
    }

    @Test func `what a wait has left of a future runs before a future that was completed later`() async {
        let (first, second, heard) = (Future<Void>(), Future<Void>(), Log<Int>())
        for number in 0..<3 {
            first.onSuccess(context: immediate) {
                heard.add(number)
                Thread.sleep(forTimeInterval: 0.06)
            }
        }
        second.onSuccess(context: immediate) { heard.add(3) }
        await wait {
            first.success()
            second.success()
        }
        #expect(heard.all == Array(0...3))
    }

    @Test func `the callbacks that an element has caused run before the next element, after a wait as well`() async {
        let (stream, caused, heard) = (FutureStream<Int>(capacity: 0), Future<Void>(), Log<Int>())
        caused.onSuccess(context: immediate) { heard.add(-1) }
        stream.onSuccess(context: immediate) {
            heard.add($0)
            guard $0 == 1 else { return }
            caused.success()
            Self.outlast()
        }
        stream.onSuccess(context: immediate) { heard.add($0 * 10) }
        await wait {
            stream.success(1)
            stream.success(2)
        }
        #expect(heard.all == [1, 10, -1, 2, 20])
    }

    @Test func `no end is lost if the stream ends between a wait of its callback and the callback's return`() async {
        let (stream, ends) = (FutureStream<Int>(capacity: 0), Box(0))
        stream.onSuccess(context: AtOnce()) { _ in
            _ = try? Future<Void>().wait(timeout: .milliseconds(1))
            // The other subscriber gets its end from the last task of the context, which is a value.
            let isFinished = Gate()
            Thread {
                stream.finish()
                isFinished.open()
            }.start()
            isFinished.pass()
        }
        stream.onFinish(context: AtOnce()) { ends.increment() }
        stream.map(context: AtOnce()) { $0 }.onFinish(context: immediate) { ends.increment() }
        await wait { stream.success(1) }
        #expect(ends.value == 2)
    }

    @Test func `an end that is registered before a wait comes last, also on a context that is a value`() async {
        let (stream, heard) = (FutureStream<Int>(capacity: 2), Log<Int>())
        stream.success(1)
        stream.success(2)
        stream.finish()
        stream.onSuccess(context: AtOnce()) {
            heard.add($0)
            guard $0 == 1 else { return }
            stream.onFinish(context: AtOnce()) { heard.add(-1) }
            _ = try? Future<Void>().wait(timeout: .milliseconds(1))
        }
        #expect(heard.all == [1, 2, -1])
    }

    @Test func `a subscriber that has waited gets its next elements before others get later ones`() {
        let (stream, heard) = (FutureStream<Int>(capacity: 0), Log<String>())
        let (isAtTwo, hasReturned, isDone) = (Gate(), Gate(), Gate())
        stream.onSuccess(context: immediate) {
            heard.add("a\($0)")
            guard $0 == 0 else { return }
            _ = try? Future<Void>().wait(timeout: .milliseconds(1))
            Thread {
                stream.success(1)
                isDone.open()
            }.start()
            isAtTwo.pass()
        }
        stream.onSuccess(context: immediate) {
            heard.add("b\($0)")
            if $0 == 1 { for next in 2...3 { stream.success(next) } }
            guard $0 == 2 else { return }
            isAtTwo.open()
            hasReturned.pass()
        }
        stream.success(0)
        hasReturned.open()
        isDone.pass()
        stream.finish()
        #expect(heard.all == ["a0", "b0", "b1", "b2", "a1", "a2", "a3", "b3"])
    }
}
