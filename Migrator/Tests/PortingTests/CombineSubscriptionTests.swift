import Foundation
import Porting
import SourceFiles
import Testing

@Suite struct `Subscriptions of Combine` {
    private let set = "private var cancellables = Set<AnyCancellable>()"
    private let token = "private let token = OwnedToken()"

    /// The members of a class after the rewrites.
    private func ported(_ members: String, type: String = "class Model") -> String {
        let text = PortingTests.ported("\(type) {\n\(members)\n}", from: .combine)
        return String((text.components(separatedBy: "\(type) {\n").last ?? "").dropLast(2))
    }

    private func reasons(_ members: String, type: String = "class Model") -> [String] {
        (port("\(type) {\n\(members)\n}", from: .combine)?.calls ?? []).filter { $0.row.theirs.hasPrefix("`sink") }
            .compactMap { if case .left(let reason) = $0.outcome { reason } else { nil } }
    }

    private func stays(_ chain: String, type: String = "class Model") -> Bool {
        ported("\(set)\nfunc f() { \(chain) }", type: type) == "\(set)\nfunc f() { \(chain) }"
    }

    @Test func `A sink after a hop to the main queue runs in the default context`() {
        #expect(
            ported(
                """
                \(set)
                func bind() {
                    service.events
                        .receive(on: DispatchQueue.main)
                        .sink { [weak self] event in
                            self?.show(event)
                        }
                        .store(in: &cancellables)
                }
                """)
                    == """
                    \(token)
                    func bind() {
                        service.events
                            .onSuccess(cancelToken: token.token) { [weak self] event in
                                self?.show(event)
                            }
                    }
                    """)
    }

    @Test func `A sink without a hop runs on the emitting thread`() {
        #expect(
            ported("\(set)\nfunc f() { a.sink { b($0) }.store(in: &cancellables) }")
                == "\(token)\nfunc f() { a.onSuccess(context: .immediate, cancelToken: token.token) { b($0) } }")
        #expect(
            ported("\(set)\nfunc f() { a.sink(receiveValue: { b($0) }).store(in: &self.cancellables) }")
                == "\(token)\nfunc f() { a.onSuccess(context: .immediate, cancelToken: self.token.token) { b($0) } }")
    }

    @Test(arguments: [
        "@MainActor class Model", "class Model: BaseViewController", "class Model: UIView", "class Model: Base",
        "final class Model: NSObject, Opens",
    ])
    func `A closure that can be on the main actor is isolated`(_ type: String) {
        let head = "\(set)\nfunc f() { a.receive(on: DispatchQueue.main)"
        let ours = "\(token)\nfunc f() { a.onSuccess(cancelToken: token.token, isolated: { b($0) }) }"
        #expect(ported(head + ".sink { b($0) }.store(in: &cancellables) }", type: type) == ours)
        #expect(ported(head + ".sink(receiveValue: { b($0) }).store(in: &cancellables) }", type: type) == ours)
        let file = port(
            "\(type) {\n\(head).sink { b($0) }.store(in: &cancellables) }\n}", from: .combine)
        #expect(file?.after.hasPrefix("import SimpleFutures\nimport SimpleFuturesInterop\n") ?? false)
    }

    @Test func `The actor of a function or of an extension counts`() {
        let chain = "a.receive(on: DispatchQueue.main).sink { b($0) }.store(in: &cancellables)"
        let ours = "a.onSuccess(cancelToken: token.token, isolated: { b($0) })"
        #expect(
            ported("\(set)\n@MainActor func f() { \(chain) }") == "\(token)\n@MainActor func f() { \(ours) }")
        let other = "\n}\nextension Model {\nfunc f() { "
        #expect(
            ported(set + other + chain + " }", type: "@MainActor class Model")
                == token + other + ours + " }")
    }

    @Test func `A sink of the main actor that runs at once is left`() {
        let chain = "a.sink { b($0) }.store(in: &cancellables)"
        #expect(stays(chain, type: "@MainActor class Model"))
        #expect(stays(chain, type: "class Model: UIViewController"))
        #expect(stays(chain, type: "actor Model"))
        #expect(stays("a.receive(on: DispatchQueue.main).sink { b($0) }.store(in: &cancellables)", type: "actor Model"))
        #expect(reasons("\(set)\nfunc f() { \(chain) }", type: "@MainActor class Model")[0].contains("isolated: { … }"))
    }

    @Test func `A set that still keeps other subscriptions stands beside the token`() {
        let text = """
                \(set) // all
                func f() {
                    a.sink { b($0) }.store(in: &cancellables)
                    $name.sink { b($0) }.store(in: &cancellables)
                }
            """
        #expect(
            ported(text)
                == """
                    \(set) // all
                    \(token)
                    func f() {
                        a.onSuccess(context: .immediate, cancelToken: token.token) { b($0) }
                        $name.sink { b($0) }.store(in: &cancellables)
                    }
                """)
        #expect(reasons(text) == ["the chain begins with a `@Published` property, which stays"])
    }

    @Test func `A later run uses the token of the earlier one`() {
        let text =
            "\(set)\n\(token)\nfunc f() { a.sink { b($0) }.store(in: &cancellables) ; $c.sink { }.store(in: &cancellables) }"
        let once = ported(text)
        #expect(once.contains("a.onSuccess(context: .immediate, cancelToken: token.token) { b($0) }"))
        #expect(once.components(separatedBy: "OwnedToken").count == 2)
        #expect(ported(once) == once)
    }

    @Test func `Clearing the set makes a new token`() {
        let sink = "a.sink { b($0) }.store(in: &cancellables)"
        let ours = "a.onSuccess(context: .immediate, cancelToken: token.token) { b($0) }"
        let variable = "private var token = OwnedToken()"
        for clear in ["cancellables.removeAll()", "cancellables = []", "self.cancellables = Set()"] {
            #expect(
                ported("\(set)\nfunc f() {\n  \(clear)\n  \(sink)\n}")
                    == "\(variable)\nfunc f() {\n  token = OwnedToken()\n  \(ours)\n}")
        }
        #expect(
            ported("\(set)\nfunc f() {\n  cancellables = []\n  \(sink)\n  $a.sink { }.store(in: &cancellables)\n }")
                == "\(set)\n\(variable)\nfunc f() {\n  cancellables = []\n  token = OwnedToken()\n  \(ours)\n"
                + "  $a.sink { }.store(in: &cancellables)\n }")
    }

    @Test func `A set that is cleared in a deinit becomes a constant`() {
        #expect(
            ported("\(set)\nfunc f() { a.sink { }.store(in: &cancellables) }\ndeinit { cancellables.removeAll() }")
                == "\(token)\nfunc f() { a.onSuccess(context: .immediate, cancelToken: token.token) { } }"
                + "\ndeinit { token.cancel() }")
    }

    @Test func `A second run leaves what the first has left`() {
        for operators in [
            ".removeDuplicates()", ".replaceError(with: 1)", ".tryMap { try d($0) }.replaceError(with: 1)",
            ".combineLatest(c.prepend(1))", ".combineLatest(c.removeDuplicates())",
            ".combineLatest(c.replaceError(with: 1))", ".combineLatest(c.tryMap { try d($0) })",
        ] {
            let once = ported("\(set)\nfunc f() { a\(operators).sink { b($0) }.store(in: &cancellables) }")
            #expect(once.hasPrefix(set))
            #expect(ported(once) == once)
        }
    }

    @Test func `Names that are taken are not used again`() {
        #expect(
            ported("\(set)\nvar token = 1\nfunc f() { a.sink { b($0) }.store(in: &cancellables) }")
                .hasPrefix("private let cancellablesToken = OwnedToken()\n"))
        #expect(
            ported(
                "\(set)\nprivate var others = Set<AnyCancellable>()\n"
                    + "func f() {\na.sink { b($0) }.store(in: &cancellables)\nc.sink { d($0) }.store(in: &others)\n }"
            )
            .hasPrefix("\(token)\nprivate let othersToken = OwnedToken()\n"))
    }

    @Test func `A set that others can use is left`() {
        let sink = "\nfunc f() { a.sink { b($0) }.store(in: &cancellables) }"
        for set in [
            "var cancellables = Set<AnyCancellable>()", "private static var cancellables = Set<AnyCancellable>()",
            "@State private var cancellables = Set<AnyCancellable>()", "private var cancellables: Set<AnyCancellable>!",
            set + "\nfunc g() { cancellables.insert(c) }", set + "\nfunc g() { var cancellables = [c] }",
        ] {
            #expect(ported(set + sink) == set + sink)
        }
        #expect(ported(set + sink, type: "struct Model") == set + sink)
    }

    @Test func `A variable holds the token, and is assigned after the call`() {
        #expect(
            ported(
                "private var taps: AnyCancellable?\nfunc f() {\n  taps = a.sink { b($0) }\n}\nfunc g() { taps?.cancel() }"
            )
                == """
                private var taps: OwnedToken?
                func f() {
                  let tapsToken = OwnedToken()
                  a.onSuccess(context: .immediate, cancelToken: tapsToken.token) { b($0) }
                  taps = tapsToken
                }
                func g() { taps?.cancel() }
                """)
        #expect(
            ported(
                "private var taps: AnyCancellable?\nfunc f() {\n  self.taps = a.receive(on: DispatchQueue.main).sink { b($0) }\n  c()\n }",
                type: "@MainActor class Model")
                == "private var taps: OwnedToken?\nfunc f() {\n  let tapsToken = OwnedToken()\n"
                + "  a.onSuccess(cancelToken: tapsToken.token, isolated: { b($0) })\n  self.taps = tapsToken\n  c()\n }"
        )
    }

    @Test func `A variable with another subscription is left`() {
        let variable = "private var taps: AnyCancellable?\n"
        for text in [
            variable + "func f() {\n  taps = a.sink { b($0) }\n  c()\n }\nfunc g() { taps = $c.sink { } }",
            variable + "func f() {\n  taps = a.sink { b($0) }\n  taps = c.sink { b($0) }\n }",
            variable + "func f() {\n  taps = a.sink { b($0) }\n  return taps\n }",
            variable + "func f() { let taps = a.sink { b($0) } }",
        ] {
            #expect(ported(text) == text)
        }
    }

    @Test(arguments: [
        "a.sink(receiveCompletion: { _ in }, receiveValue: { b($0) }).store(in: &cancellables)",
        "a.sink { _ in } receiveValue: { b($0) }.store(in: &cancellables)",
        "a.sink(receiveValue: b).store(in: &cancellables)",
        "a.receive(on: queue).sink { b($0) }.store(in: &cancellables)",
        "a.receive(on: RunLoop.main).sink { b($0) }.store(in: &cancellables)",
        "a.combineLatest(c.prepend(1)).sink { b($0) }.store(in: &cancellables)",
        "a.combineLatest(c.map { $0 + 1 }).sink { b($0) }.store(in: &cancellables)",
        "a.map { $0 + 1 }.sink { b($0) }.store(in: &cancellables)",
        "a.catch { c($0) }.sink { b($0) }.store(in: &cancellables)",
        "a.combineLatest($c).sink { b($0) }.store(in: &cancellables)",
        "model.$a.sink { b($0) }.store(in: &cancellables)",
        "model.objectWillChange.sink { b($0) }.store(in: &cancellables)",
        "model.nameSubject.sink { b($0) }.store(in: &cancellables)",
        "Publishers.Merge(a, c).sink { b($0) }.store(in: &cancellables)",
        "center.publisher(for: name).sink { b($0) }.store(in: &cancellables)",
        "a.sink { b($0) } /* why */ .store(in: &cancellables)",
        "a.sink { b($0) }.store(in: &other.cancellables)",
    ])
    func `A sink is left whose chain means something else here`(_ chain: String) {
        #expect(stays(chain))
        #expect(reasons("\(set)\nfunc f() { \(chain) }").count == 1)
    }

    @Test func `A failure ends a publisher and not a stream`() {
        let text = "\(set)\nfunc f() { a.replaceError(with: 1).sink { b($0) }.store(in: &cancellables) }"
        #expect(reasons(text)[0].hasPrefix("a failure before `replaceError` ends the publisher"))
    }

    @Test func `The note of a sink with a completion names the calls for it`() {
        for text in [
            "a.sink(receiveCompletion: { c($0) }, receiveValue: { })",
            "let d = a.sink { c($0) } receiveValue: { _ in }",
        ] {
            #expect(reasons("func f() { \(text) }")[0].hasPrefix("`onComplete(cancelToken: token.token) { … }`"))
        }
    }

    @Test(arguments: [
        "sink { _ in } receiveValue: { _ in }", "sink(receiveCompletion: { _ in }, receiveValue: { _ in })",
        "sink(receiveCompletion: { _ in }) { _ in }",
    ])
    func `A sink that does nothing needs no call for its completion`(_ sink: String) {
        #expect(
            ported("\(set)\nfunc f() { a.\(sink).store(in: &cancellables) }")
                == "\(token)\nfunc f() { a.onSuccess(context: .immediate, cancelToken: token.token) { _ in } }")
    }

    @Test func `A call that is removed from the argument of combineLatest leaves the sink to be rewritten`() {
        let text = "func f() { a.combineLatest(c.eraseToAnyPublisher()).sink { b($0) }.store(in: &cancellables) }"
        #expect(ported("\(set)\n\(text)").contains("a.combineLatest(c).onSuccess(context: .immediate"))
    }

    @Test func `A sink after a call with a closure of the library's is left`() {
        #expect(stays("a.flatMapLatest { c($0) }.sink { b($0) }.store(in: &cancellables)"))
    }

    @Test func `A chain that is alone in its branch or closure is rewritten too`() {
        #expect(
            ported("\(set)\nfunc f() { if c { a.sink { b($0) }.store(in: &cancellables) } }")
                == "\(token)\nfunc f() { if c { a.onSuccess(context: .immediate, cancelToken: token.token) { b($0) } } }"
        )
    }

    @Test func `A subject of the file is subscribed to by its stream`() {
        #expect(
            ported(
                "\(set)\nlet taps = PassthroughSubject<Int, Never>()\n"
                    + "func f() { taps.receive(on: DispatchQueue.main).sink { b($0) }.store(in: &cancellables) }")
                == "\(token)\nlet taps = StreamPromise<Int>(capacity: 0)\n"
                + "func f() { taps.stream.onSuccess(cancelToken: token.token) { b($0) } }")
    }
}
