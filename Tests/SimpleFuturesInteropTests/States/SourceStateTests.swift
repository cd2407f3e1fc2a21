import SimpleFutures
import Testing

@testable import SimpleFuturesInterop
@testable import TestSupport

@Suite("The source of a stream: every order of steps", .watchdog)
struct SourceStateTests {
    @Test(arguments: stories)
    func `it runs once at a time, and in the end only for subscribers`(_ story: Story<SourceScene, Never>) throws {
        let orders = try story.tryEveryOrder()
        #expect(orders == story.orders)
    }

    @Test func `a thread that has seen no subscribers before a run began looks again`() {
        var state = SourceState<Int>()
        let seen = state.changes
        _ = state.next(true)
        let begins = state.starts(with: nil, run: 1, true)
        #expect(begins)
        #expect(state.changes != seen)
    }

    /// The ways in which a late thread can still use the emitter of a former run.
    enum LateStep: CaseIterable { case stop, finish, release }

    @Test(arguments: LateStep.allCases)
    func `the emitter of a former run doesn't end the next one`(_ step: LateStep) {
        let stream = FutureStream<Int>(producedWith: 0)
        let (kept, heard) = (Box<StreamEmitter<Int>?>(nil), Box<[Int]>([]))
        let work = SourceWork<Int>(of: stream.core, on: nil) { emitter in
            kept.value = emitter
            return CancelAction { kept.value = nil }
        }
        work.begin(under: .none)
        var former: StreamEmitter<Int>? = StreamEmitter(into: stream.core, for: work)
        stream.onSuccess(context: immediate) { heard.append($0) }
        switch step {
        case .stop: former?.stop(in: stream.core)
        case .finish: former?.finish()
        case .release: former = nil
        }
        kept.value?.success(1)
        #expect(heard.value == [1])
        #expect(!stream.isFinished)
        stream.finish()
    }
}

private let stories: [Story<SourceScene, Never>] = [
    .init("one thread subscribes, another one ends the stream", orders: 456, on: SourceScene()) { scene in
        scene.comes("one")
        scene.ends("two")
    },
    .init("one thread unsubscribes, another one subscribes", orders: 6_822, on: SourceScene()) { scene in
        scene.hasListener()
        scene.goes("one")
        scene.comes("two")
    },
    .init("one thread unsubscribes and subscribes before the start has returned", orders: 33_336, on: SourceScene()) {
        scene in
        scene.isBeingStarted("one")
        scene.returns("two")
    },
    .init("one thread unsubscribes and subscribes before the start begins", orders: 4_746, on: SourceScene()) { scene in
        scene.isAsked("one")
        scene.returns("two")
    },
    .init("one thread unsubscribes first from this stream, another one subscribes", orders: 34_222, on: SourceScene()) {
        scene in
        scene.hasListener()
        scene.goesFirst("one")
    },
    .init("one thread unsubscribes, another one ends the stream", orders: 955, on: SourceScene()) { scene in
        scene.hasListener()
        scene.goes("one")
        scene.ends("two")
    },
    .init("one thread unsubscribes and subscribes, another one releases the emitter", orders: 14_986, on: SourceScene())
    {
        scene in
        scene.hasListener()
        scene.goesAndComes("one")
        scene.losesFirstEmitter("two", inOneStep: true)
    },
    .init("one thread unsubscribes, another one ends the stream by its emitter", orders: 2_142, on: SourceScene()) {
        scene in
        scene.hasListener()
        scene.goes("one")
        scene.losesFirstEmitter("two")
    },
    .init("the emitter ends the stream while the start is running", orders: 1_071, on: SourceScene()) { scene in
        scene.isBeingStarted("one")
        scene.losesFirstEmitter("two")
    },
]

/// The source of a stream and its subscribers, in the steps of `SourceWork`.
final class SourceScene: Scene {
    private var state = SourceState<Int>()
    private var listeners = 0
    private var isOver = false
    private var running = 0
    private var starts = 0
    private var busy = 0
    /// The number of starts when a subscriber arrived after all others had left.
    private var former: Int?
    /// Whether the emitter of a former run has ended the source.
    private var wasEndedTooLate = false
    /// Whether an emitter is about to end the stream.
    private var isEnding = false
    /// Whether the source was stopped, although the stream had not ended yet: its handle could cancel it.
    private var wasStoppedTooEarly = false

    func hasListener() {
        let player = Player("before")
        change(player, by: 1)
        player.takeAllSteps()
    }

    /// The source's context was asked to start it, and has seen that there is a subscriber.
    func isAsked(_ name: String, steps: Int = 5) {
        let player = player(name)
        change(player, by: 1)
        player.takeSteps(steps)
    }

    /// The source already calls back, but the start has not returned.
    func isBeingStarted(_ name: String) { isAsked(name, steps: 6) }

    func comes(_ name: String) { change(player(name), by: 1) }

    func goes(_ name: String) { change(player(name), by: -1) }

    /// The only subscriber leaves while other registrations are still to be unsubscribed, and another one arrives then.
    func goesFirst(_ name: String) {
        let player = player(name)
        change(player, by: -1, isUnsubscribing: true) { [self] in former = starts }
        player.takeSteps(6)
        change(self.player("other"), by: 1)
    }

    /// The only subscriber leaves, and subscribes again.
    func returns(_ name: String) {
        let player = player(name)
        change(player, by: -1)
        player.takeAllSteps()
        change(player, by: 1) { [self] in former = starts }
    }

    func goesAndComes(_ name: String) {
        let player = player(name)
        change(player, by: -1)
        change(player, by: 1)
    }

    private func change(
        _ player: Player, by number: Int, isUnsubscribing: Bool = false, before: @escaping () -> Void = {}
    ) {
        player.add(number > 0 ? "come" : "go") { [self] in
            before()
            listeners += number
            player.next("note it") { [self] in
                state.changes += 1
                settle(player, isUnsubscribing: isUnsubscribing)
            }
        }
    }

    func ends(_ name: String) {
        let player = player(name)
        player.add("end") { [self] in
            isOver = true
            state.end()
            settle(player)
        }
    }

    /// The emitter of the first run ends the stream and then the source, unless that run is over.
    func losesFirstEmitter(_ name: String, inOneStep: Bool = false) {
        let player = player(name)
        player.add("lose the emitter") { [self] in
            guard state.beginEnd(1) else { return }
            isEnding = true
            wasEndedTooLate = starts > 1
            let end = { [self] in
                isOver = true
                state.end()
                settle(player)
            }
            if inOneStep { end() } else { player.next("end the stream, and then the source", end) }
        }
    }

    private func settle(_ player: Player, isUnsubscribing: Bool = false) {
        // One step with the code before it: a change in between is seen as well.
        let seen = state.changes
        player.next("ask who listens") { [self] in
            let isWanted = listeners > 0
            player.next("decide") { [self] in
                guard state.changes == seen else { return settle(player, isUnsubscribing: isUnsubscribing) }
                carryOut(player, state.next(isWanted, isUnsubscribing: isUnsubscribing), isUnsubscribing)
            }
        }
    }

    private func carryOut(_ player: Player, _ step: SourceState<Int>.Step, _ isUnsubscribing: Bool) {
        switch step {
        case .nothing: return
        case .later: player.next("everything is unsubscribed") { [self] in settle(player) }
        case .silence: settle(player, isUnsubscribing: isUnsubscribing)
        case .start:
            busy += 1
            start(player)
        case .stop(_, let handle):
            busy += 1
            if isEnding, !isOver { wasStoppedTooEarly = true }
            player.next("stop", isOwn: true) { [self] in
                running -= handle == nil ? 100 : 1
                player.next("has stopped") { [self] in
                    busy -= 1
                    state.hasStopped()
                    settle(player)
                }
            }
        }
    }

    private func start(_ player: Player) {
        player.next("ask who listens") { [self] in
            let seen = state.changes
            let isWanted = listeners > 0
            player.next("start") { [self] in
                guard state.changes == seen else { return start(player) }
                guard state.starts(with: nil, run: UInt64(starts + 1), isWanted) else {
                    busy -= 1
                    return settle(player)
                }
                running += 1
                starts += 1
                player.next("has started") { [self] in
                    busy -= 1
                    state.hasStarted(CancelAction {})
                    settle(player)
                }
            }
        }
    }

    override var complaint: String? {
        if wasEndedTooLate { return "the emitter of a former run has ended the next one" }
        if wasStoppedTooEarly { return "it was stopped before the stream had ended" }
        if busy > 1 { return "\(busy) start or stop it" }
        return (0...1).contains(running) ? nil : "\(running) run"
    }

    override var complaintAtEnd: String? {
        let isWanted = listeners > 0 && !isOver
        if (running == 1) != isWanted { return "it runs: \(running), with \(listeners) listeners" }
        if isWanted, let former, starts == former { return "who came after all had gone has got no start" }
        return nil
    }
}
