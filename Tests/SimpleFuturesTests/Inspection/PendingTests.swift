import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

// In separate processes: tracking affects the whole process, and reading the live objects keeps all of them alive.

@Suite("Pending futures and their waiters", .watchdog)
struct PendingTests {
    @Test func `tracking a future neither keeps it alive nor keeps its sources`() {
        let (promise, time, ends) = (Promise<Int>(), ManualContext(), Log<FuturePhase>())
        promise.future.timeout(.seconds(1), context: time).track { source, _ in ends.add(source.phase) }
        #expect(promise.future.observerCount == 0)
        Future(value: 1).delay(.seconds(1), context: time).track { source, _ in ends.add(source.phase) }
        let first = Future<Int>()
        first.delay(.seconds(1), context: time).track { _, _ in }
        first.success(1)
        #expect(time.timerCount == 0)
        #expect(ends.all == [.abandoned, .abandoned])
        let awaited = promise.future.timeout(.seconds(1), context: time)
        awaited.track { source, _ in ends.add(source.phase) }
        awaited.onSuccess(context: immediate) { _ in }
        promise.success(1)
        #expect(ends.all == [.abandoned, .abandoned, .succeeded])
    }

    @Test func `without tracking nothing is listed and no name is evaluated`() async {
        await #expect(processExitsWith: .success) {
            let promise = Promise<Int>()
            promise.future.named({ preconditionFailure("a name was made") }())
            FutureStream<Int>().named({ preconditionFailure("a name was made") }())
            precondition(FuturesDiagnostics.pending.isEmpty && !FuturesDiagnostics.isTracking)
            withExtendedLifetime(promise) {}
        }
    }

    @Test func `waiters are listed below, with context and name`() async {
        await #expect(processExitsWith: .success) {
            FuturesDiagnostics.isTracking = true
            let promise = Promise<Int>(fileID: "App/Profile.swift", line: 3)
            promise.future.named("user").named("profile")
            let image = promise.future.map(context: QueueContext.main) { "\($0)" }.named("image")
            image.onSuccess(context: DispatchQueue(label: "view")) { _ in }
            image.onFailure(context: ManualContext()) { _ in }
            image.onCancel(context: immediate) {}
            promise.future.onComplete(context: immediate) { _ in }
            expectPending(
                """
                Future<Int> "profile", which the promise made at App/Profile.swift:3 completes
                    Future<String> "image", derived from it, on the main queue
                        onSuccess, on the queue "view"
                        onFailure, on a ManualContext
                    onComplete
                """)
            promise.success(1)
        }
    }

    @Test func `a completion handler that is held and not called is listed at the left margin`() async {
        await #expect(processExitsWith: .success) {
            FuturesDiagnostics.isTracking = true
            let kept = Box<(@Sendable (Int) -> Void)?>(nil)
            let method: @Sendable (@escaping @Sendable (Int) -> Void) -> Void = { kept.value = $0 }
            let future = future(method: method, fileID: "App/Client.swift", line: 5)
            expectPending("Future<Int>, which the completion handler made at App/Client.swift:5 completes")
            kept.value?(1)
            expectPending("")
            withExtendedLifetime(future) {}
        }
    }

    @Test func `an end that a context has not delivered is listed`() async {
        await #expect(processExitsWith: .success) {
            FuturesDiagnostics.isTracking = true
            let context = ManualContext()
            let queue = DispatchQueue(label: "view")
            queue.suspend()
            let derived = Future(value: 1).map(context: context) { $0 + 1 }
            derived.onSuccess(context: queue) { _ in }
            expectPending(
                """
                Future<Int>, which has ended
                    Future<Int>, derived from it, on its context, which has not run it yet
                        onSuccess, on the queue "view"
                """)
            context.run()
            expectPending(
                """
                Future<Int>, which has ended
                    onSuccess, on its queue, which has not run it yet
                """)
            withExtendedLifetime(derived) {
                queue.resume()
                queue.sync {}
            }
        }
    }

    @Test func `a waiter of several futures is listed below each of them until it has ended`() async {
        await #expect(processExitsWith: .success) {
            FuturesDiagnostics.isTracking = true
            let (first, second, other) = (Future<Int>(), Future<Double>(), Future<Int>())
            let all = zip(first, second).named("both")
            let any = [first, other].firstCompleted().named("one")
            let sum = [first, other].fold(context: immediate, initial: 0) { $0 + $1 }.named("sum")
            expectPending(
                """
                Future<Int>
                    Future<(Int, Double)> "both", which waits for all of several
                    Future<Int> "one", which waits for the first of several
                    Future<Int> "sum", which waits for all of several
                Future<Double>
                    Future<(Int, Double)> "both", which waits for all of several, as above
                Future<Int>
                    Future<Int> "one", which waits for the first of several, as above
                    Future<Int> "sum", which waits for all of several, as above
                """)
            first.failure(Failure())
            expectPending("Future<Double>\nFuture<Int>")
            withExtendedLifetime((all, any, sum, second, other)) {}
        }
    }

    @Test func `registrations of a token are listed until it is canceled`() async {
        await #expect(processExitsWith: .success) {
            FuturesDiagnostics.isTracking = true
            let token = CancelToken()
            let future = Future<Int>()
            let derived = future.map(context: immediate, cancelToken: token) { $0 }.named("derived")
            future.onSuccess(context: immediate, cancelToken: token) { _ in }
            expectPending(
                """
                Future<Int>
                    Future<Int> "derived", derived from it
                    onSuccess
                """)
            token.cancel()
            expectPending("Future<Int>")
            withExtendedLifetime(derived) { future.success(1) }
            expectPending("")
        }
    }

    @Test func `streams list their subscribers`() async {
        await #expect(processExitsWith: .success) {
            FuturesDiagnostics.isTracking = true
            let bare = FutureStream<Int>(fileID: "App/Profile.swift", line: 5)
            bare.onSuccess(context: immediate) { _ in }
            expectPending("FutureStream with 0 kept, made at App/Profile.swift:5\n    onSuccess")
            bare.finish()
            expectPending("")
            let promise = StreamPromise<Int>(capacity: 2, fileID: "App/Profile.swift", line: 4)
            promise.stream.named("positions")
            promise.success(1)
            let doubled = promise.stream.map(context: immediate) { 2 * $0 }
            doubled.onSuccess(context: QueueContext.global) { _ in }
            doubled.onFailure(context: immediate) { _ in }
            doubled.onComplete(context: immediate) { _ in }
            doubled.onFinish(context: immediate) {}
            doubled.onCancel(context: immediate) {}
            QueueContext.global.queue.sync {}
            let text = FuturesDiagnostics.pending
            precondition(
                text.hasPrefix(
                    """
                    FutureStream with 1 kept, made at App/Profile.swift:4 "positions"
                        FutureStream with 1 kept, derived from it
                            onSuccess, on the queue
                    """), text)
            for line in ["onFailure", "onComplete", "onFinish"] {
                precondition(text.contains("\n        \(line)"), text)
            }
            precondition(!text.contains("onCancel"), text)
            promise.finish()
        }
    }

    @Test func `a cycle is listed once`() async {
        await #expect(processExitsWith: .success) {
            FuturesDiagnostics.isTracking = true
            let (one, other) = (Future<Int>(), Future<Int>())
            one.named("one").completeWith(future: other)
            other.named("other").completeWith(future: one)
            expectPending(
                """
                Future<Int> "one"
                    Future<Int> "other", derived from it
                        Future<Int> "one", derived from it, as above
                """)
            one.success(1)
        }
    }

    @Test func `a long chain is cut off, and needs constant stack`() async {
        await #expect(processExitsWith: .success) {
            FuturesDiagnostics.isTracking = true
            let promise = Promise<Int>()
            let lines = onSmallStack {
                var last = promise.future
                for _ in 0..<8_000 { last = last.map(context: immediate) { $0 } }
                return FuturesDiagnostics.pending.split(separator: "\n")
            }
            precondition(lines.count == 1_001 && lines.last == "... and 7001 more", "\(lines.last ?? "")")
            promise.success(1)
        }
    }

    @Test func `it can be turned on and off again, and what is begun twice goes on until it is ended twice`() async {
        await #expect(processExitsWith: .success) {
            let before = Promise<Int>()
            FuturesDiagnostics.isTracking = true
            FuturesDiagnostics.isTracking = true
            let meanwhile = Future<Int>()
            FuturesDiagnostics.isTracking = false
            FuturesDiagnostics.isTracking = false
            let after = Future<Double>()
            expectPending("Future<Int>")
            Census.begin()
            Census.begin()
            Census.end()
            let again = Future<String>()
            expectPending("Future<Int>\nFuture<String>")
            Census.end()
            let late = Future<Double>()
            expectPending("Future<Int>\nFuture<String>")
            withExtendedLifetime((before, meanwhile, after, again, late)) {}
        }
    }

    @Test func `dropped objects are not listed, not kept, and do not grow the list, but long-lived ones stay`() async {
        await #expect(processExitsWith: .success) {
            FuturesDiagnostics.isTracking = true
            var watch: Watch?
            do {
                let promise = Promise<Int>()
                watch = Watch { probe in promise.future.onComplete(context: immediate) { _ in probe.use() } }
                withExtendedLifetime(promise) {
                    precondition(Census.report.count == 2, "\(Census.report)")
                    precondition(watch?.isReleased == false)
                }
            }
            expectPending("")
            precondition(watch?.isReleased == true)
            let promises = (0..<10).map { _ in
                let promise = Promise<Int>()
                for _ in 0..<100 { _ = Promise<Double>() }
                return promise
            }
            withExtendedLifetime(promises) { precondition(Census.report.count == 10, "\(Census.report)") }
        }
    }

    @Test func `it is complete while the names of released objects are removed`() async {
        await #expect(processExitsWith: .success) {
            FuturesDiagnostics.isTracking = true
            let (promise, isOver) = (Promise<Int>(), Box(false))
            promise.future.named("held")
            DispatchQueue.global().async {
                while !isOver.value { Promise<Int>().future.named("released") }
            }
            for _ in 0..<Stress.rounds(500) { precondition(FuturesDiagnostics.pending.contains("held")) }
            isOver.value = true
            withExtendedLifetime(promise) {}
        }
    }

    @Test func `it can be read while objects are created and released`() async {
        await #expect(processExitsWith: .success) {
            FuturesDiagnostics.isTracking = true
            let queue = DispatchQueue(label: "callbacks")
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                for _ in 0..<Stress.rounds(200) {
                    let token = CancelToken()
                    let promise = Promise<Int>()
                    let derived = promise.future.map(context: queue, cancelToken: token) { $0 }.named("derived")
                    let stream = StreamPromise<Int>(capacity: 1)
                    stream.stream.map(context: immediate, cancelToken: token) { $0 }
                        .onSuccess(context: queue) { _ in }
                    let both = [promise.future, derived].sequence()
                    switch thread {
                    case 0: _ = FuturesDiagnostics.pending
                    case 1: token.cancel()
                    default: break
                    }
                    promise.success(1)
                    stream.success(1)
                    withExtendedLifetime(both) {}
                }
            }
            queue.sync {}
            expectPending("")
        }
    }
}

private func expectPending(_ text: String, line: UInt = #line) {
    let pending = FuturesDiagnostics.pending
    precondition(pending == text, "line \(line):\n\(pending)")
}
