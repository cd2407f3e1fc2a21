@preconcurrency import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Races around a stream's source", .watchdog)
struct StreamSourceRaceTests {
    @Test(arguments: [true, false])
    func `a source whose stop waits for its queue is not stopped inside an emission there`(namesQueue: Bool) async {
        let queue = DispatchQueue(label: "radio")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let (stops, starts) = (Log<Bool>(), Tally())
        let stream = FutureStream<Int>(capacity: 0, context: namesQueue ? queue : nil) { emitter in
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(deadline: .now(), repeating: .milliseconds(1))
            // Inside a callback every other time: then its elements are delivered when that has returned.
            let isInside = starts.count.isMultiple(of: 2)
            starts.add()
            timer.setEventHandler {
                if !isInside { return emitter.success(1) }
                Future(value: 1).onSuccess(context: immediate) { emitter.success($0) }
            }
            timer.activate()
            return CancelAction {
                timer.cancel()
                // Like typical wrappers of CoreBluetooth.
                if !namesQueue { queue.sync {} }
                stops.add(DispatchQueue.getSpecific(key: key) == true)
            }
        }
        for round in 1...10 {
            let (first, token) = (Future<Int>(), CancelToken())
            let context: any ExecutionContext = round.isMultiple(of: 2) ? immediate : QueueContext.futuresDefault
            if round.isMultiple(of: 3) {
                // Leaves in a callback that runs after those of the stream.
                stream.onSuccess(context: immediate, cancelToken: token) { first.trySuccess($0) }
                first.onSuccess(context: immediate) { _ in token.cancel() }
            } else {
                first.completeWith(context: context, stream: stream)
            }
            #expect(await first.outcome.value == 1)
            // A subscriber that comes before the last one has left keeps the source running.
            await until { stops.count == round }
        }
        #expect(stops.all == Array(repeating: namesQueue, count: 10))
    }

    @Test(arguments: ["first", "take", "map", "chain", "latest", "async", "flattened", "token"])
    func `a source starts again for a subscriber that comes when the last one has its element`(_ way: String) async {
        let (queue, kept, isReady) = (DispatchQueue(label: "source"), Box<StreamEmitter<Int>?>(nil), Signal())
        let stream = FutureStream<Int>(capacity: 0) { emitter in
            kept.value = emitter
            queue.async {
                #expect(isReady.pass())
                emitter.success(1)
            }
            return CancelAction {}
        }
        for _ in 0..<Stress.rounds(3_000) {
            let token = CancelToken()
            let future =
                switch way {
                case "token":
                    stream.asyncForEach(cancelToken: token) { _ in token.cancel() }.map(context: immediate) { 0 }
                case "take": stream.take(1).first()
                case "map": stream.map(context: immediate) { $0 }.first()
                case "latest": FutureStream(value: 1).flatMapLatest(context: immediate) { _ in stream }.first()
                case "async": stream.asyncMap { $0 }.first()
                case "flattened": stream.map(context: immediate) { $0 }.asyncFlatMap { Future(value: $0) }.first()
                case "chain": stream.distinct(context: immediate).map(context: immediate) { $0 }.take(1).first()
                default: stream.first()
                }
            isReady.open()
            #expect(await future.outcome.value == (way == "token" ? nil : 1))
        }
        kept.value = nil
    }

    @Test(arguments: [0, 1, 2])
    func `callbacks get the last element before the source is stopped, which may wait for them`(_ levels: Int) async {
        for context in [immediate, QueueContext.global] as [any ExecutionContext] {
            let (kept, hasElement) = (Box<StreamEmitter<Int>?>(nil), Gate())
            var stream = FutureStream<Int>(capacity: 0, context: immediate) { emitter in
                kept.value = emitter
                return CancelAction { hasElement.pass() }
            }
            for _ in 0..<levels { stream = stream.map(context: immediate) { $0 } }
            stream.first().onSuccess(context: context) { _ in hasElement.open() }
            stream = FutureStream()
            await onThread { _ = kept.value?.success(1) }
            kept.value = nil
        }
    }

    @Test func `a callback that blocks does not hold up the next run of the source`() async {
        let (kept, isBlocked, hasNext) = (Box<StreamEmitter<Int>?>(nil), Gate(), Gate())
        let stream = FutureStream<Int>(capacity: 0) { emitter in
            kept.value = emitter
            return CancelAction {}
        }
        stream.map(context: immediate) { $0 }.first().onSuccess(context: immediate) { _ in
            isBlocked.open()
            hasNext.pass()
        }
        async let first: Void = onThread { _ = kept.value?.success(1) }
        await onThread { isBlocked.pass() }
        let former = kept.value
        let next = stream.first()
        await until { kept.value !== former }
        kept.value?.success(2)
        #expect(await next.outcome.value == 2)
        hasNext.open()
        await first
        kept.value = nil
    }

    @Test func `a stream that is left is canceled, even if its source finishes at the same moment`() async {
        for _ in 0..<Stress.rounds(300) {
            let (kept, end) = (Box<StreamEmitter<Int>?>(nil), Future<String>())
            let first = {
                let source = FutureStream<Int>(capacity: 0) { emitter in
                    kept.value = emitter
                    return CancelAction {}
                }
                let left = source.map(context: QueueContext.global) { $0 }
                left.onFinish(context: immediate) { end.trySuccess("finish") }
                left.onCancel(context: immediate) { end.trySuccess("cancel") }
                return left.map(context: QueueContext.global) { $0 }.first()
            }()
            kept.value?.success(1)
            #expect(await first.outcome.value == 1)
            #expect(await end.outcome.value == "cancel")
            kept.value = nil
        }
    }

    @Test(arguments: [2, 4])
    func `starts and stops alternate, and finally the source runs if there are subscribers`(_ threads: Int) async {
        for _ in 0..<Stress.rounds(20) {
            let valve = Valve()
            let stream = valve.stream()
            let leaves = Box<[Int: CancelToken]>([:])
            await concurrently(threads) { thread in
                // Every second thread keeps its last subscriber.
                for round in 0..<100 {
                    let token = CancelToken()
                    stream.onSuccess(context: immediate, cancelToken: token) { _ in }
                    if round == 99, thread.isMultiple(of: 2) {
                        leaves.change { $0[thread] = token }
                    } else {
                        token.cancel()
                    }
                }
            }
            #expect(valve.isRunning && valve.errors.count == 0)
            let last = leaves.value.values
            await concurrently(last.count) { Array(last)[$0].cancel() }
            valve.expectIsStopped()
        }
    }

    /// The ways in which a source ends its stream.
    enum End: CaseIterable { case finish, release }

    @Test(arguments: End.allCases)
    func `a stream that its source ends is finished, even if the source's handle cancels the stream`(_ end: End) async {
        for _ in 0..<Stress.rounds(200) {
            let (kept, token) = (Box<StreamEmitter<Int>?>(nil), CancelToken())
            let stream = FutureStream<Int>(capacity: 0, cancelToken: token) { emitter in
                kept.value = emitter
                return CancelAction { token.cancel() }
            }
            stream.onSuccess(context: immediate) { _ in }
            await concurrently(2) { thread in
                guard thread == 0 else {
                    // Looks each time whether the source is to be stopped.
                    for _ in 0..<20 { Listening.success.begin(on: stream)() }
                    return
                }
                if end == .finish { kept.value?.finish() }
                kept.value = nil
            }
            #expect(stream.isFinished && !stream.isCancelled)
            #expect(token.isCancelled)
        }
    }

    @Test func `a subscriber that stays receives a whole run, whatever others do`() async {
        for _ in 0..<Stress.rounds(50) {
            let valve = Valve()
            let stream = valve.stream()
            let heard = Box<[Int]>([])
            stream.onSuccess(context: immediate) { number in heard.append(number) }
            await concurrently(3) { thread in
                if thread == 0 {
                    for number in 0..<200 { valve.emit(number) }
                } else {
                    for _ in 0..<100 { Listening.success.begin(on: stream)() }
                }
            }
            #expect(heard.value == Array(0..<200))
            #expect(valve.starts.count == 1 && valve.stops.count == 0)
            valve.emitter?.finish()
            #expect(!valve.isRunning)
        }
    }

    @Test func `an end, a cancellation, an unsubscription and a release together stop it once`() async {
        for round in 0..<Stress.rounds(500) {
            let (valve, token, leave, ends) = (Valve(), CancelToken(), CancelToken(), Tally())
            let stream = Box<FutureStream<Int>?>(valve.stream(cancelToken: token))
            weak let core = stream.value?.core
            stream.value?.onSuccess(context: immediate, cancelToken: leave) { _ in }
            stream.value?.onFinish(context: immediate) { ends.add() }
            stream.value?.onCancel(context: immediate) { ends.add() }
            let emitter = Box(valve.emitter)
            await concurrently(4) { thread in
                switch thread {
                case 0: token.cancel()
                case 1: leave.cancel()
                case 2: stream.value = nil
                default:
                    if round.isMultiple(of: 2) { emitter.value?.finish() }
                    emitter.value = nil
                }
            }
            valve.expectIsStopped()
            #expect(valve.starts.count == 1 && ends.count == 1)
            #expect(core == nil)
        }
    }

    @Test func `canceling a token during the creation of the stream leaves nothing running`() async {
        for _ in 0..<Stress.rounds(500) {
            let (valve, token) = (Valve(), CancelToken())
            let made = Box<FutureStream<Int>?>(nil)
            await concurrently(2) { thread in
                if thread == 0 {
                    token.cancel()
                } else {
                    made.value = valve.stream(capacity: 1, cancelToken: token).onSuccess(context: immediate) { _ in }
                }
            }
            #expect(made.value?.isCancelled == true)
            valve.expectIsStopped()
        }
    }

    @Test func `no element of a stopped run reaches later subscribers`() async {
        for _ in 0..<Stress.rounds(50) {
            let valve = Valve()
            let stream = valve.stream()
            let (isOver, errors) = (Box(false), Tally())
            await concurrently(2) { thread in
                if thread == 0 {
                    // Emits the number of the run.
                    while !isOver.value { valve.emitRun() }
                } else {
                    for _ in 0..<200 {
                        let token = CancelToken()
                        let run = valve.starts.count + 1
                        stream.onSuccess(context: immediate, cancelToken: token) { number in
                            if number != run { errors.add() }
                        }
                        token.cancel()
                    }
                    isOver.value = true
                }
            }
            #expect(errors.count == 0)
            #expect(valve.errors.count == 0)
        }
    }

    @Test func `streams dropped while another thread emits are stopped`() async {
        for _ in 0..<Stress.rounds(200) {
            let valve = Valve()
            let stream = Box<FutureStream<Int>?>(valve.stream(capacity: 2))
            await concurrently(3) { thread in
                switch thread {
                case 0: stream.value = nil
                case 1: for number in 0..<20 { valve.emit(number) }
                default: if let stream = stream.value { Listening.results.begin(on: stream)() }
                }
            }
            valve.expectIsStopped()
        }
    }
}

extension Valve {
    fileprivate func expectIsStopped(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(!isRunning, sourceLocation: sourceLocation)
        #expect(starts.count == stops.count, sourceLocation: sourceLocation)
        #expect(errors.count == 0, sourceLocation: sourceLocation)
    }
}
