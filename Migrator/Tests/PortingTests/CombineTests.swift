import Porting
import Testing

@Suite struct `Coming from Combine` {
    private func ported(_ text: String) -> String { PortingTests.ported(text, from: .combine) }
    private func left(_ text: String) -> [String] { PortingTests.left(text, from: .combine) }

    @Test func `A subject for events is a promise of a stream`() {
        #expect(
            ported(
                "let taps = PassthroughSubject<Int, Never>()\nfunc tap() { taps.send(3) }\nfunc end() { taps.send(completion: .finished) }"
            )
                == "let taps = StreamPromise<Int>(capacity: 0)\nfunc tap() { taps.success(3) }\nfunc end() { taps.finish() }"
        )
        #expect(
            ported("let t = PassthroughSubject<Void, E>()\nfunc f() { t.send() }")
                == "let t = StreamPromise<Void>(capacity: 0)\nfunc f() { t.success(()) }")
        #expect(ported("let taps: PassthroughSubject<Int, Never>") == "let taps: StreamPromise<Int>")
    }

    @Test func `A subject keeps no history, however it is made`() {
        #expect(
            ported("let taps: PassthroughSubject<Int, Never> = .init()")
                == "let taps: StreamPromise<Int> = .init(capacity: 0)")
        #expect(
            ported("lazy var taps = PassthroughSubject<Int, E>.init()\nfunc f() { taps.send(1) }")
                == "lazy var taps = StreamPromise<Int>.init(capacity: 0)\nfunc f() { taps.success(1) }")
        #expect(
            ported("init(taps: PassthroughSubject<Int, E> = .init()) {}")
                == "init(taps: StreamPromise<Int> = .init(capacity: 0)) {}")
        #expect(
            ported(
                "var taps: PassthroughSubject<Int, E>?\nfunc f() { self.taps = .init() }\nfunc g() { taps?.send(1) }")
                == "var taps: StreamPromise<Int>?\nfunc f() { self.taps = .init(capacity: 0) }\nfunc g() { taps?.success(1) }"
        )
        #expect(ported("let shape: Shape = .init()") == "let shape: Shape = .init()")
    }

    @Test func `Subscribers of a subject get its stream`() {
        let subject = "let s = PassthroughSubject<Int, E>()\n"
        #expect(ported(subject + "let a = s.map { $0 + 1 }").hasSuffix("let a = s.stream.map { $0 + 1 }"))
        #expect(ported(subject + "let a = self.s.eraseToAnyPublisher()").hasSuffix("let a = self.s.stream"))
        #expect(ported(subject + "let a = s.share()").hasSuffix("let a = s.stream"))
        #expect(
            ported("func f(to s: PassthroughSubject<Int, E>) { s.send(1); s.map { $0 } }")
                == "func f(to s: StreamPromise<Int>) { s.success(1); s.stream.map { $0 } }")
    }

    @Test func `A new subject that is passed on as a publisher is a stream`() {
        #expect(
            ported("let a: AnyPublisher<Int, E> = PassthroughSubject<Int, E>().eraseToAnyPublisher()").hasSuffix(
                " = StreamPromise<Int>(capacity: 0).stream"))
        #expect(
            ported("let a = PassthroughSubject<Int, E>()\n    .map { $0 + 1 }")
                == "let a = StreamPromise<Int>(capacity: 0).stream\n    .map { $0 + 1 }")
    }

    @Test func `A name for a subject is left, because the promises that it makes would keep a history`() {
        let alias = "typealias Taps<T> = PassthroughSubject<T, Never>\nlet taps = Taps<Int>()"
        #expect(ported(alias) == alias)
        #expect(left(alias) == ["PassthroughSubject"])
    }

    @Test func `A property of another object is no subject because one in the file has its name`() {
        for subject in [
            "class C { private let tap = PassthroughSubject<Int, E>()\n",
            "func c() { let tap = PassthroughSubject<Int, E>()\n",
        ] {
            #expect(
                ported(subject + "func f() { output.tap.map { $0 }; socket.tap.send(1) } }").hasSuffix(
                    "func f() { output.tap.map { $0 }; socket.tap.send(1) } }"))
            #expect(
                ported(subject + "func f() { strongSelf.tap.send(1) } }").hasSuffix("strongSelf.tap.success(1) } }"))
            #expect(ported(subject + "func f() { self?.tap.send(1) } }").hasSuffix("self?.tap.success(1) } }"))
        }
        #expect(
            ported("class C { let tap = PassthroughSubject<Int, E>() }\nfunc f() { c.tap.send(1) }")
                .hasSuffix("func f() { c.tap.success(1) }"))
    }

    @Test func `Comments before a call that is removed stay`() {
        #expect(
            ported("let a = b // first\n    // second\n    .eraseToAnyPublisher() // third\n")
                == "let a = b // first\n    // second // third\n")
        #expect(
            ported("let a = b // first\n    .eraseToAnyPublisher().map { $0 }")
                == "let a = b // first\n    .map { $0 }")
        #expect(ported("let a = b /* c */ .eraseToAnyPublisher().map { $0 }") == "let a = b /* c */.map { $0 }")
        #expect(
            ported("let a = b\n    // c\n    .share()\n    .removeDuplicates()")
                == "let a = b\n    // c\n    .distinct()")
        let text = "let a = b.setFailureType(to: E.self /* c */)"
        #expect(ported(text) == text)
        #expect(left(text).count == 1)
    }

    @Test func `A method share of another type is not removed`() {
        let text = "menu.share(items: all)\nmenu.share { done($0) }"
        #expect(port(text, from: .combine)?.calls == [])
        #expect(ported("menu.share()") == "menu.share()")
        #expect(left("menu.share()").count == 1)
        #expect(ported("let a = b.share().eraseToAnyPublisher()") == "let a = b")
    }

    @Test func `A parameter does not get into a closure of its own`() {
        #expect(ported("let a = b.replaceError(with: $0)") == "let a = b.replaceError(with: $0)")
        #expect(left("let a = b.replaceNil(with: $0.x)") == ["replaceNil(with: x)"])
    }

    @Test func `Calls that have no twin of the same arguments are left`() {
        #expect(
            left("let a = b.eraseToAnyPublisher().decode(type: T.self, decoder: d)").contains(
                "decode(type: T.self, decoder: d)"))
        #expect(left("let a = try JSONDecoder().decode(T.self, from: d)") == [])
        #expect(left("let a = b.eraseToAnyPublisher().combineLatest(c)") == [])
        #expect(left("let a = b.eraseToAnyPublisher().combineLatest(c, d)") == ["a.combineLatest(b)"])
        #expect(left("let a = b.eraseToAnyPublisher().combineLatest(c) { $0 + $1 }") == ["a.combineLatest(b)"])
    }

    @Test func `send on a property of another object is left with a note, if it can be a subject's`() {
        #expect(left("func f() { Timer.shared.ended.send(); model.taps.send(3) }").count == 2)
        #expect(left("func f() { Timer.shared.ended.send(completion: .finished) }").count == 1)
        for other in [
            "socket.send(3)", "model.objectWillChange.send()", "a.socket.send(data: d)", "a.socket.send(d) { }",
        ] {
            #expect(left("func f() { \(other) }") == [])
        }
    }

    @Test func `send of something else is left alone`() {
        #expect(ported("socket.send(3)") == "socket.send(3)")
        #expect(left("let s = CurrentValueSubject<Int, Never>(1)\nfunc f() { s.send(3) }").count == 1)
        #expect(
            left("let t = PassthroughSubject<Int, E>()\nfunc f() { t.send(completion: .failure(e)) }")
                == ["send(completion: .failure(e))"])
    }

    @Test func `Operators`() {
        #expect(ported("let a = b.removeDuplicates().prefix(3)") == "let a = b.distinct().take(3)")
        #expect(ported("let a = b.removeDuplicates().map(\\.name)") == "let a = b.distinct().map { $0.name }")
        #expect(ported("let a = b.tryMap { try f($0) }") == "let a = b.map { try f($0) }")
        #expect(ported("let a = b.replaceError(with: 3)") == "let a = b.recover { _ in 3 }")
        #expect(ported("let a = b.replaceNil(with: 3)") == "let a = b.map { $0 ?? 3 }")
        #expect(ported("let a = Just(3).eraseToAnyPublisher()") == "let a = Future(value: 3)")
        #expect(ported("let a = b.removeDuplicates().dropFirst()") == "let a = b.distinct().drop(1)")
        #expect(
            ported("let a = b.debounce(for: .seconds(1), scheduler: DispatchQueue.main)")
                == "let a = b.debounce(.seconds(1), context: .main)")
    }

    @Test func `A chain that begins with a published property stays`() {
        let text = "let a = $name.removeDuplicates().map(\\.count).dropFirst()"
        #expect(ported(text) == text)
        #expect(left("let a = model.$name.removeDuplicates()") == ["removeDuplicates(), removeDuplicates(by:)"])
    }

    @Test func `A chain that begins with a subject that is left stays`() {
        let text = """
            private let name = CurrentValueSubject<Int, Never>(1)
            let a = name.removeDuplicates().eraseToAnyPublisher()
            let b = self.name.eraseToAnyPublisher()
            """
        #expect(ported(text) == text)
        #expect(left(text).count == 4)
    }

    @Test func `Arrays are not publishers`() {
        #expect(port("let a = names.prefix(3).map(\\.count).dropFirst()", from: .combine)?.calls == [])
    }

    @Test func `Subscriptions are left`() {
        #expect(
            left("b.receive(on: q).sink { show($0) }.store(in: &set)")
                == [
                    "receive(on: queue)", "sink { }, sink(receiveCompletion:receiveValue:)",
                    "AnyCancellable, store(in: &set)",
                ])
    }
}
