import SimpleFutures
import Testing
@testable import TestSupport

@Suite("FutureStream: onComplete, onSuccess, onFailure, onFinish, onCancel", .watchdog)
struct StreamCallbackTests {
    private let log = Log<String>()
    private let stream = FutureStream<Int>()
    private let token = CancelToken()

    /// Registers callbacks of all five kinds, which hold the probe.
    private func hear(
        _ stream: FutureStream<Int>, on context: any ExecutionContext = immediate, _ probe: Probe = Probe()
    ) {
        let add = { @Sendable [log] (call: String) in
            probe.use()
            log.add(call)
        }
        stream.onComplete(context: context) { add("onComplete(\($0.isSuccess()))") }
        stream.onSuccess(context: context) { add("onSuccess(\($0))") }
        stream.onFailure(context: context) { add($0 as? Oops == .source ? "onFailure" : "onFailure(?)") }
        stream.onFinish(context: context) { add("onFinish") }
        stream.onCancel(context: context) { add("onCancel") }
    }

    @Test(arguments: Emitter.Ending.allCases, [0, 1, 3])
    func `each is called only for its kind of result, in order, on its context, replayed or live, and then released`(
        _ ending: Emitter.Ending, _ moment: Int
    ) {
        let expected =
            ["onComplete(true)", "onSuccess(1)", "onComplete(false)", "onFailure"]
            + [ending == .cancellation ? "onCancel" : "onFinish"]
        for context in [immediate, ManualContext()] as [any ExecutionContext] {
            let before = log.count
            let source = Emitter()
            let steps: [() -> Void] = [{ source.emit(1) }, { source.fail() }, { source.end(ending) }]
            for step in steps[..<moment] { step() }
            let watch = Watch { hear(source.stream, on: context, $0) }
            for step in steps[moment...] {
                #expect(source.stream.core.subscriberCount == 5 && !watch.isReleased)
                step()
            }
            if let manual = context as? ManualContext {
                #expect(log.count == before)
                manual.run()
                #expect(Array(log.all[before...]) == expected)
            } else {
                // Elements that are already there are replayed before the next callback is registered.
                #expect(log.all == (moment == 3 ? [0, 2, 1, 3, 4].map { expected[$0] } : expected))
            }
            #expect(source.stream.core.subscriberCount == 0 && watch.isReleased)
        }
    }

    @Test(arguments: [true, false])
    func `callbacks for a cancellation can be removed, by themselves`(_ isStream: Bool) {
        let (source, promise, context) = (Emitter(), Promise<Int>(), ManualContext())
        let all = CancelToken()
        let stream = source.stream.map(context: immediate, cancelToken: all) { $0 }
        let future = promise.future.map(context: immediate, cancelToken: all) { $0 }
        let watch = Watch { [log, token] probe in
            let add = { @Sendable in
                probe.use()
                log.add("onCancel")
            }
            if isStream {
                stream.onCancel(context: context, cancelToken: token, add)
                stream.onCancel(context: context) { log.add("other") }
            } else {
                future.onCancel(context: context, cancelToken: token, add)
                future.onCancel(context: context) { log.add("other") }
            }
        }
        token.cancel()
        #expect(watch.isReleased && token.registrationCount == 0)
        all.cancel()
        context.run()
        #expect(log.all == ["other"])
    }

    @Test func `canceling a token on one stream does not unsubscribe callbacks of another`() {
        let log = Log<Int>()
        let other = FutureStream<Int>()
        for stream in [stream, other] { stream.onSuccess(context: immediate, cancelToken: token) { log.add($0) } }
        #expect(stream.cancel(token))
        #expect(!stream.cancel(token))
        #expect(!stream.cancel(CancelToken()))
        #expect(!stream.cancel(.none))
        stream.success(1)
        other.success(2)
        #expect(log.all == [2])
        token.cancel()
        other.success(3)
        #expect(log.all == [2])
    }

    @Test func `a cancellation error is a failure`() {
        let stream = FutureStream<Int>(error: CancellationError())
        hear(stream)
        #expect(log.all == ["onComplete(false)", "onFailure(?)"])
        #expect(!stream.isCancelled)
    }

    @Test func `they run by default on the main queue`() async {
        let stream = FutureStream(value: 1)
        let isOnMain = Future<Bool>()
        stream.onSuccess { _ in isOnMain.success(MainQueue.isCurrent) }
        #expect(await isOnMain.end() == .success(true))
    }
}
