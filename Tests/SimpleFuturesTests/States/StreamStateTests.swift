import Testing

@testable import SimpleFutures
@testable import TestSupport

@Suite("FutureStream: every interleaving", .watchdog)
struct StreamStateTests {
    private let forms: [StreamGuest.Form] = [.sink, .here, .onQueue]

    @Test func `two threads emit to one subscriber`() throws {
        let orders = try everyStreamOrder(for: [forms], capacity: 0) { scene, forms in
            _ = scene.hasListener(forms[0])
            scene.emits(scene.player("one"), 2)
            scene.emits(scene.player("two"))
        }
        #expect(orders == 79)
    }

    @Test func `one thread emits to two subscribers`() throws {
        let orders = try everyStreamOrder(for: [forms, [.here]], capacity: 1) { scene, forms in
            for form in forms { _ = scene.hasListener(form) }
            scene.emits(scene.player("one"))
            scene.emits(scene.player("two"))
        }
        #expect(orders == 904)
    }

    @Test func `one thread emits, one subscribes`() throws {
        let orders = try everyStreamOrder(for: [[.here, .onQueue], [.here]], capacity: 1) { scene, forms in
            _ = scene.hasListener(forms[0])
            scene.emits(scene.player("emitter"), 2)
            scene.comes(scene.player("listener"), forms[1])
        }
        #expect(orders == 1_653)
    }

    @Test func `one thread emits and ends it, one subscribes and unsubscribes`() throws {
        let orders = try everyStreamOrder(for: [forms], capacity: .max) { scene, forms in
            let emitter = scene.player("emitter")
            scene.emits(emitter)
            scene.ends(emitter)
            let other = scene.player("other")
            scene.removes(other, scene.comes(other, forms[0]))
        }
        #expect(orders == 300)
    }

    @Test func `one thread emits, one subscribes, one unsubscribes`() throws {
        let orders = try everyStreamOrder(for: [forms, [.here, .onQueue]], capacity: 1) { scene, forms in
            let listener = scene.hasListener(forms[0])
            scene.emits(scene.player("emitter"))
            scene.comes(scene.player("listener"), forms[1])
            scene.removes(scene.player("other"), listener)
        }
        #expect(orders == 515)
    }

    @Test func `two threads end it, one emits`() throws {
        let orders = try everyStreamOrder(for: [[.sink, .here]], capacity: 0) { scene, forms in
            for form in forms + [.watcher] { _ = scene.hasListener(form) }
            scene.ends(scene.player("one"), .finish)
            scene.ends(scene.player("two"), .cancellation)
            scene.emits(scene.player("emitter"))
        }
        #expect(orders == 606)
    }

    @Test func `two producers, until the last one is released`() throws {
        let orders = try everyStreamOrder(for: [forms], capacity: 0) { scene, forms in
            _ = scene.hasListener(forms[0])
            _ = scene.state.gainProducer()
            for name in ["one", "two"] {
                let player = scene.player(name)
                scene.emits(player)
                scene.loses(player)
            }
        }
        #expect(orders == 1_282)
    }

    @Test func `one thread gets a replay buffer, one emits, one releases the stream`() throws {
        let orders = try everyStreamOrder(for: [forms], capacity: 3) { scene, forms in
            let before = Player("before")
            scene.emits(before, 3)
            before.takeAllSteps()
            scene.comes(scene.player("listener"), forms[0])
            scene.emits(scene.player("emitter"))
            scene.letsGo(scene.player("holder"))
        }
        #expect(orders == 139)
    }

    @Test func `two threads subscribe to a replay buffer`() throws {
        let orders = try everyStreamOrder(for: [[.here, .onQueue]], capacity: 3) { scene, forms in
            let before = Player("before")
            scene.emits(before, 3)
            before.takeAllSteps()
            for name in ["one", "two"] { scene.comes(scene.player(name), forms[0]) }
        }
        #expect(orders == 24)
    }

    @Test func `two threads emit to a callback that waits twice and to another one`() throws {
        let orders = try everyStreamOrder(for: [[.here]], capacity: 0) { scene, forms in
            scene.hasListener(forms[0]).waits = 2
            _ = scene.hasListener(forms[0])
            for name in ["one", "two"] { scene.emits(scene.player(name)) }
        }
        #expect(orders == 30)
    }

    @Test func `one thread subscribes, another continues its delivery before each element that one emits`() throws {
        let orders = try everyStreamOrder(for: [[.here]], capacity: 1) { scene, forms in
            scene.extraAllowance = 0
            scene.emits(scene.player("emitter"), 3)
            scene.comes(scene.player("listener"), forms[0])
        }
        #expect(orders == 16)
    }

    @Test func `one thread subscribes to a stream with two subscribers, other threads continue before each element`()
        throws
    {
        let some: [StreamGuest.Form] = [.here, .sink]
        let orders = try everyStreamOrder(for: [some, some, some], capacity: 1) { scene, forms in
            scene.extraAllowance = 0
            for form in forms.dropFirst() { _ = scene.hasListener(form) }
            scene.emits(scene.player("emitter"), 2)
            scene.comes(scene.player("listener"), forms[0])
        }
        #expect(orders == 1_222)
    }

    @Test func `two threads emit to one subscriber, other threads continue before each element`() throws {
        let orders = try everyStreamOrder(for: [[.here]], capacity: 0) { scene, forms in
            scene.extraAllowance = 0
            _ = scene.hasListener(forms[0])
            scene.emits(scene.player("one"), 2)
            scene.emits(scene.player("two"), 2)
        }
        #expect(orders == 106)
    }

    @Test func `two threads emit, other threads continue, one ends it or removes the subscriber`() throws {
        let orders = try everyStreamOrder(for: [[.here]], capacity: 0) { scene, forms in
            scene.extraAllowance = 0
            let listener = scene.hasListener(forms[0])
            scene.emits(scene.player("one"))
            scene.emits(scene.player("two"))
            scene.removes(scene.player("three"), listener)
            scene.ends(scene.player("four"), .finish)
        }
        #expect(orders == 656)
    }

    @Test func `a context runs its tasks twice, a thread emits`() throws {
        let orders = try everyStreamOrder(for: [[.onQueue]], capacity: 0) { scene, forms in
            scene.runsTwice = true
            _ = scene.hasListener(forms[0])
            scene.emits(scene.player("emitter"), 2)
        }
        #expect(orders == 6)
    }

    @Test func `a context drops its tasks, one thread emits, one subscribes`() throws {
        let orders = try everyStreamOrder(for: [[.onQueue]], capacity: 1) { scene, forms in
            scene.dropsTasks = true
            _ = scene.hasListener(forms[0])
            scene.emits(scene.player("emitter"), 2)
            scene.comes(scene.player("listener"), forms[0])
        }
        #expect(orders == 37)
    }
}

/// Runs all interleavings of scenes with listeners of various forms.
func everyStreamOrder(
    for forms: [[StreamGuest.Form]], capacity: Int, _ play: (StreamScene, [StreamGuest.Form]) -> Void
) throws -> Int {
    try choices(forms).reduce(0) { orders, choice in
        let more = try everyOrder {
            let scene = StreamScene(capacity: capacity)
            play(scene, choice)
            return scene
        }
        return orders + more
    }
}
