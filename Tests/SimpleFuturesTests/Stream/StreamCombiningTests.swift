import Testing

@testable import SimpleFutures
@testable import TestSupport

@Suite("FutureStream: combineLatest, withLatest(from:)", .watchdog)
struct StreamCombiningTests {
    private let numbers = FutureStream<Int>(capacity: 0)
    private let letters = FutureStream<String>(capacity: 0)

    private func heard(_ stream: FutureStream<(Int, String)>) -> Log<Heard<String>> {
        stream.map(context: immediate) { "\($0)\($1)" }.heard()
    }

    @Test func `merging into a stream of one value puts the value first`() {
        let started = FutureStream(value: 0, capacity: 1).merge(numbers)
        let log = started.heard()
        numbers.success(1)
        let late = started.heard()
        numbers.finish()
        #expect(log.all == [0, 1, .finish])
        #expect(late.all == [1, .finish])
    }

    @Test func `four streams are combined`() {
        let stream = combineLatest(numbers, letters, FutureStream(value: 0.5), FutureStream(value: true))
        let log = stream.map(context: immediate) { "\($0)\($1)\($2)\($3)" }.heard()
        numbers.success(1)
        letters.success("a")
        numbers.success(2)
        #expect(log.all == ["1a0.5true", "2a0.5true"])
        numbers.finish()
    }

    @Test func `withLatest keeps no value of its own stream`() {
        let (taps, drafts) = (FutureStream<Probe>(capacity: 0), FutureStream(value: 1, capacity: 1))
        let pairs = taps.withLatest(from: drafts)
        let count = Box(0)
        pairs.onSuccess(context: immediate) { _ in count.increment() }
        let watch = Watch { taps.success($0) }
        #expect(count.value == 1 && watch.isReleased)
    }

    @Test func `a thread emits 64 for others, then another thread goes on, in order`() async {
        let (hasBegun, mayGoOn, target) = (Signal(), Signal(), FutureStream<Int>(capacity: 0))
        let (come, here) = (Log<(output: Int, isHere: Bool)>(), Box<UInt>(0))
        let outlet = StreamOutlet<Int, Int>(0, to: target.core) { output, _ in
            come.add((output, here.value == threadNumber()))
            guard output == 0 else { return }
            hasBegun.open()
            #expect(mayGoOn.pass())
        }
        let feed = { @Sendable (number: Int) in outlet.feed { _, outputs in outputs.append(number) } }
        async let fed: Void = onThread {
            #expect(hasBegun.pass())
            for number in 1...200 { feed(number) }
            mayGoOn.open()
        }
        await onThread {
            here.value = threadNumber()
            feed(0)
            // The system may give the rest to the same thread.
            here.value = 0
        }
        await fed
        await until { come.count == 201 }
        #expect(come.all.map(\.output) == Array(0...200))
        #expect(come.all.count { $0.isHere } == 65)
    }

    @Test func `what an outlet emits on another thread is emitted before its callbacks, which may wait for it`() async {
        let (target, last) = (FutureStream<Int>(capacity: 0), Promise<Int>())
        let (hasBegun, mayGoOn, isOver) = (Signal(), Signal(), Signal())
        target.onSuccess(context: immediate) { if $0 == 80 { _ = try? last.future.wait() } }
        target.onSuccess(context: immediate) { if $0 == 100 { last.success(100) } }
        let outlet = StreamOutlet<Int, Int>(0, to: target.core) { number, target in
            if number == 0 {
                hasBegun.open()
                #expect(mayGoOn.pass())
            }
            // The thread that began has used up its allowance, and has left.
            if number == 65 { #expect(isOver.pass()) }
            target.pass(Try.success(number))
        }
        async let first: Void = onThread {
            inCallback { outlet.feed { $1.append(0) } }
            isOver.open()
        }
        await onThread {
            #expect(hasBegun.pass())
            for number in 1...100 { outlet.feed { $1.append(number) } }
            mayGoOn.open()
        }
        await first
        #expect(await last.future.end() == .success(100))
        target.finish()
    }

    @Test func `a value stays before a replayed one if the capacity has room for both`() {
        let numbers = FutureStream<Int>(capacity: 1)
        numbers.success(1)
        let started = FutureStream(value: 0, capacity: numbers.capacity + 1).merge(numbers)
        #expect(started.heard().all == [0, 1])
    }

    @Test func `replayed elements count: the latest one of the other stream, and all of the first`() {
        let (kept, old) = (FutureStream<Int>(), FutureStream<String>())
        for value in 1...3 { kept.success(value) }
        old.success("a")
        old.success("b")
        #expect(heard(kept.withLatest(from: old)).all == ["1b", "2b", "3b"])
        #expect(heard(kept.combineLatest(old)).all == ["3a", "3b"])
    }

    @Test func `a callback can emit into both sources`() {
        let log = heard(numbers.combineLatest(letters))
        letters.onSuccess(context: immediate) { [numbers] in if $0 == "b" { numbers.success(2) } }
        numbers.success(1)
        letters.success("a")
        letters.success("b")
        #expect(log.all == ["1a", "1b", "2b"])
    }

    @Test func `latest values are released with the stream, and a replaced value at once`() {
        let source = FutureStream<Probe>(capacity: 0)
        var combined: FutureStream<(Probe, String)>? = source.combineLatest(letters)
        combined?.onSuccess(context: immediate) { _ in }
        let first = Watch { source.success($0) }
        #expect(!first.isReleased)
        let second = Watch { source.success($0) }
        #expect(first.isReleased && !second.isReleased)
        source.finish()
        letters.finish()
        combined = nil
        #expect(second.isReleased)
    }
}

@Suite("FutureStream: zip", .watchdog)
struct StreamZipTests {
    private let left = FutureStream<Int>()
    private let right = FutureStream<Int>()

    private func pairs(_ zipped: FutureStream<(Int, Int)>) -> FutureStream<String> {
        zipped.map(context: immediate) { "\($0)-\($1)" }
    }

    @Test func `elements are paired, replayed or live, also if one waits for the other`() {
        for value in 1...3 { left.success(value) }
        let (zipped, same) = (pairs(left.zip(right)), pairs(zip(right, left)))
        #expect(zipped.state == [])
        for value in 11...14 { right.success(value) }
        left.success(4)
        #expect(zipped.state == ["1-11", "2-12", "3-13", "4-14"])
        #expect(same.state == ["11-1", "12-2", "13-3", "14-4"])
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

    @Test func `while a thread emits pairs, another one leaves its pairs to it`() async {
        let (isInside, mayGoOn, log) = (Gate(), Gate(), Log<Int>())
        let outlet = StreamOutlet((), to: FutureStream<Int>().core) { (pair: Int, _) in
            if pair == 1 {
                isInside.open()
                mayGoOn.pass()
            }
            log.add(pair)
        }
        await together(
            { outlet.feed { $1.append(1) } },
            {
                isInside.pass()
                outlet.feed { $1.append(2) }
                mayGoOn.open()
            })
        #expect(log.all == [1, 2])
    }
}

@Suite("FutureStream: merge", .watchdog)
struct StreamMergingTests {
    private let streams = (0..<3).map { _ in FutureStream<Int>(capacity: 3) }

    @Test(arguments: permutations([0, 1, 2]), [nil, 0, 1, 2])
    func `it ends when all have ended, in any order, with a cancellation if one was canceled`(
        _ order: [Int], _ cancelled: Int?
    ) {
        for before in 0...3 {
            let sources = (0..<3).map { _ in Emitter(capacity: 0) }
            func finish(_ index: Int) {
                sources[index].emit(index)
                sources[index].end(index == cancelled ? .cancellation : .finish)
            }
            for index in order.prefix(before) { finish(index) }
            let merged = sources[0].stream.merge(sources[1].stream, sources[2].stream)
            let log = merged.heard()
            for index in order.dropFirst(before) {
                #expect(!merged.isFinished && !merged.isCancelled)
                finish(index)
            }
            let end: Heard<Int> = cancelled == nil ? .finish : .cancel
            #expect(log.all == order.dropFirst(before).map { .value($0) } + [end])
        }
    }

    @Test(arguments: [nil, 0, 1, 2])
    func `a token, canceled as a whole or on one source, unsubscribes a merge and a zip from all`(_ place: Int?) {
        let token = CancelToken()
        let merged = merge(streams[0], streams[1], streams[2], cancelToken: token)
        let zipped = streams[0].zip(streams[1], cancelToken: token).map(context: immediate) { $0 + $1 }
        #expect(streams.map { $0.core.subscriberCount } == [2, 2, 1])
        streams[0].success(1)
        if let place { #expect(streams[place].cancel(token)) } else { token.cancel() }
        #expect(merged.state == [1, .cancel])
        #expect(streams.map { $0.core.subscriberCount } == (place == 2 ? [1, 1, 0] : [0, 0, 0]))
        if place == 2 { token.cancel() }
        streams[1].success(1)
        #expect(zipped.state == [.cancel])
        #expect(streams.map { $0.core.subscriberCount } == [0, 0, 0])
        #expect(token.registrationCount == 0)
    }
}
