import Foundation
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promises 3 and 11: contexts whose tasks run inside other callbacks, in event loops or in futures", .watchdog)
struct TasksInCallbacksTests {
    /// Runs a closure in a callback of a wait that is over after a millisecond.
    private func inWait(_ body: @escaping @Sendable () -> Void) {
        inCallback {
            inCallback(body)
            _ = try? Future<Void>().wait(timeout: .milliseconds(1))
        }
    }

    @Test func `elements that a wait leaves run on their context, if that runs its tasks at once`() async {
        let (stream, first, second) = (FutureStream<Int>(capacity: 0), Promise<Void>(), Promise<Void>())
        let (context, heard) = (Marking(), Log<Bool>())
        second.future.onSuccess(context: immediate) { first.success() }
        stream.onSuccess(context: context) {
            heard.add(context.isInside.value)
            if $0 == 0 { try? first.future.wait() }
        }
        stream.onSuccess(context: context) {
            heard.add(context.isInside.value)
            if $0 == 0 { second.success() }
        }
        await onThread { inCallback { for number in 0..<2 { stream.success(number) } } }
        #expect(heard.all == [true, true, true, true])
    }

    @Test func `an event loop in a callback that a wait runs goes on, although the wait is over`() {
        let (loop, number, stream, heard) = (ManualContext(), Promise<Int>(), FutureStream<Int>(), Log<Int>())
        number.future.map(context: loop) { $0 }.onSuccess(context: immediate) { heard.add($0) }
        stream.onSuccess(context: loop) { heard.add($0) }
        number.success(1)
        for element in 2...4 { stream.success(element) }
        inWait {
            Thread.sleep(forTimeInterval: 0.01)
            loop.run()
            #expect(heard.all == [1, 2, 3, 4])
        }
    }

    @Test(arguments: [true, false])
    func `after an event loop or another wait in it, a wait starts no callback after its timeout`(isLoop: Bool) {
        let (inner, loop, heard, countAtTimeout) = (Future<Void>(), ManualContext(), Log<Int>(), Box(0))
        Future(value: ()).onSuccess(context: loop) {}
        inner.onSuccess(context: immediate) {
            if isLoop { loop.run() } else { _ = try? Future<Void>().wait(timeout: .milliseconds(1)) }
        }
        for number in 0..<5 {
            inner.onSuccess(context: immediate) {
                heard.add(number)
                Thread.sleep(forTimeInterval: 0.04)
            }
        }
        inCallback {
            inner.success()
            _ = try? Future<Void>().wait(timeout: .milliseconds(60))
            countAtTimeout.value = heard.count
        }
        #expect(countAtTimeout.value <= 3)
        #expect(heard.all == Array(0..<5))
    }

    @Test(arguments: Busy.Way.allCases)
    func `a wait starts no callback after its timeout, if a context runs more than one task at once`(_ way: Busy.Way) {
        let (future, caused, context, heard) = (Future<Void>(), Future<Void>(), Busy(way), Log<String>())
        caused.onSuccess(context: immediate) { heard.add("caused") }
        for name in ["first", "second"] {
            future.onSuccess(context: context) {
                heard.add(name)
                caused.trySuccess()
                Thread.sleep(forTimeInterval: 0.01)
            }
        }
        inCallback {
            future.success()
            _ = try? Future<Void>().wait(timeout: .milliseconds(5))
            heard.add("timeout")
        }
        #expect(heard.all.firstIndex(of: "timeout")! < heard.all.firstIndex(of: "caused")!)
        #expect(heard.count == 4)
    }

    @Test(arguments: [true, false])
    func `a callback that waits twice runs nothing that another thread delivers since the first wait`(
        isAtOnce: Bool
    ) async {
        let (future, heard, hasWaited, hasBegun, mayEnd) = (Future<Void>(), Log<Int>(), Signal(), Signal(), Signal())
        let context: any ExecutionContext = isAtOnce ? AtOnce() : immediate
        let wait = { @Sendable in _ = try? Future<Void>().wait(timeout: .milliseconds(1)) }
        future.onSuccess(context: context) {
            wait()
            hasWaited.open()
            #expect(hasBegun.pass())
            future.onSuccess(context: context) { heard.add(2) }
            wait()
        }
        async let added: Void = onThread {
            #expect(hasWaited.pass())
            future.onSuccess(context: context) {
                hasBegun.open()
                #expect(mayEnd.pass())
                heard.add(1)
            }
        }
        await onThread {
            future.success()
            mayEnd.open()
        }
        await added
        #expect(heard.all == [1, 2])
    }

    @Test func `a wait in an event loop runs the callbacks of the outer future first`() {
        let (outer, inner, loop) = (Future<Void>(), Future<Void>(), ManualContext())
        let (last, heard) = (Promise<Int>(), Log<String>())
        Future(value: ()).onSuccess(context: loop) { inner.success() }
        outer.onSuccess(context: immediate) { loop.run() }
        outer.onSuccess(context: immediate) { heard.add("outer") }
        inner.onSuccess(context: immediate) { #expect(last.future.awaitedValue == 1) }
        inner.onSuccess(context: immediate) {
            heard.add("inner")
            last.success(1)
        }
        outer.success()
        #expect(heard.all == ["outer", "inner"])
    }

    @Test func `a future completed when the wait is over dispatches its callbacks to their queues`() async {
        let (promise, heard) = (Promise<Int>(), Log<Int>())
        for number in 0..<3 { promise.future.onSuccess(context: OwnContext().queue) { _ in heard.add(number) } }
        inWait {
            Thread.sleep(forTimeInterval: 0.01)
            promise.success(1)
        }
        await until { heard.count == 3 }
    }

    @Test func `a callback caused by an element in an event loop can wait for the next element`() {
        let (loop, stream, inner) = (ManualContext(), FutureStream<Int>(), Future<Void>())
        let (first, second, heard) = (Promise<Int>(), Promise<Int>(), Log<Int>())
        stream.onSuccess(context: loop) { $0 == 0 ? first.success(1) : second.success(2) }
        first.future.onSuccess(context: immediate) { _ in heard.add(second.future.awaitedValue) }
        inner.onSuccess(context: immediate) { loop.run() }
        stream.success(0)
        stream.success(1)
        inCallback {
            inner.success()
            ImmediateContext.runPending()
        }
        #expect(heard.all == [2])
    }

    @Test(arguments: [0, 5, 100])
    func `elements run on their context, and between them what they cause, at any depth of nesting`(_ depth: Int) {
        let (context, links, heard) = (CallbackContext(), CallbackContext(), Log<String>())
        let (start, promise, stream) = (Future<Int>(), Promise<Int>(), FutureStream<Int>(capacity: 0))
        stream.onSuccess(context: context) { element in
            heard.add("\(element) \(context.isCurrent)")
            if element == 0 { promise.success(9) }
        }
        promise.future.onSuccess(context: immediate) { heard.add("\($0)") }
        let last = (0..<depth).reduce(start) { last, _ in last.map(context: links) { $0 } }
        last.onSuccess(context: links) { _ in for element in 0..<3 { stream.success(element) } }
        start.success(1)
        #expect(heard.all == ["0 true", "9", "1 true", "2 true"])
    }

    @Test func `a wait ends when what an element causes has run, however many more elements come`() {
        let (source, promise, awaited) = (FutureStream<Int>(capacity: 0), Promise<Int>(), Promise<Int>())
        let count = Box(0)
        source.onSuccess(context: InlineContext()) {
            count.increment()
            promise.trySuccess(1)
            if $0 < 1_000 { source.success($0 + 1) }
        }
        promise.future.onSuccess(context: immediate) { awaited.success($0) }
        inCallback {
            source.success(0)
            #expect(awaited.future.awaitedValue == 1)
            #expect(count.value <= 2)
        }
        #expect(count.value == 1_001)
        // Its callback holds it.
        source.finish()
    }

    /// A context that is a value, so that a mailbox cannot reference it weakly.
    private struct Value: ExecutionContext, Hashable {
        func execute(_ task: @escaping @Sendable () -> Void) {
            Future(value: ()).onSuccess(context: .immediate, completion: task)
        }
    }

    @Test func `no element is lost if a nested wait has seen the stream end`() {
        let stream = FutureStream<Int>(capacity: 0)
        let (first, second, third) = (Promise<Void>(), Promise<Void>(), Promise<Void>())
        let derived = stream.map(context: Value()) { element in
            if element == 0 {
                third.success()
                try second.future.wait()
                first.success()
            }
            return element
        }
        let heard = derived.heard()
        stream.onSuccess(context: Value()) { if $0 == 3 { second.success() } }
        third.future.onSuccess(context: immediate) {
            stream.success(3)
            stream.finish()
        }
        inCallback {
            for element in 0..<3 { stream.success(element) }
            try? first.future.wait()
        }
        #expect(heard.all == [0, 1, 2, 3, .finish])
    }
}

/// A context that runs its task inside of `execute`, and says so.
struct Marking: ExecutionContext, Hashable {
    let isInside = Box(false)

    func execute(_ task: @escaping @Sendable () -> Void) {
        isInside.value = true
        task()
        isInside.value = false
    }

    static func == (left: Self, right: Self) -> Bool { left.isInside === right.isInside }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(isInside)) }
}

/// A context that does more than one thing inside of `execute`.
final class Busy: ExecutionContext {
    enum Way: CaseIterable {
        /// It runs its tasks two by two.
        case inPairs
        /// It registers a callback on a queue before each task.
        case afterCallbacks
    }

    private let way: Way
    private let first = Lock<(@Sendable () -> Void)?>(nil)

    init(_ way: Way) { self.way = way }

    func execute(_ task: @escaping @Sendable () -> Void) {
        switch way {
        case .inPairs:
            guard let other = first.exchange(nil) else {
                first.exchange(task)
                return
            }
            other()
        case .afterCallbacks: Future(value: ()).onSuccess(context: .global) {}
        }
        task()
    }
}
