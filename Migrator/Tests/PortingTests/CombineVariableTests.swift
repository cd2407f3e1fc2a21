import Porting
import SourceFiles
import Testing

@Suite struct `Subscriptions of Combine to local variables` {
    private let set = "private var cancellables = Set<AnyCancellable>()"

    /// The members of a class after the rewrites.
    private func ported(_ members: String) -> String {
        PortingTests.ported("class Model {\n\(members)\n}", from: .combine)
    }

    private func reasons(_ members: String) -> [String] {
        (port("class Model {\n\(members)\n}", from: .combine)?.calls ?? [])
            .filter { $0.row.theirs.hasPrefix("`sink") }
            .compactMap { if case .left(let reason) = $0.outcome { reason } else { nil } }
    }

    private func stays(_ chain: String) -> Bool {
        let text = "class Model {\n\(set)\nfunc f() { \(chain) }\n}"
        return PortingTests.ported(text, from: .combine) == text
    }

    @Test(arguments: [
        "let p = center.publisher(for: name).map { c($0) }", "let p = a.merge(with: c)",
        "let q = center.publisher(for: name)\nlet p = q.filter { c($0) }", "let p = a.filter { c($0) }",
        "let q = a.filter { c($0) }\nlet p = q", "let p = a.recover { _ in 1 }", "let p = $name",
        "let p = model.nameSubject",
    ])
    func `A sink is left whose variable has a value that is left`(_ variable: String) {
        #expect(stays("\(variable)\np.sink { b($0) }.store(in: &cancellables)"))
        #expect(stays("\(variable)\nif d { p.sink { b($0) }.store(in: &cancellables) }"))
    }

    @Test func `The note of a sink names the closure in the value of its variable`() {
        let reason = reasons(
            "\(set)\nfunc f() { let p = a.filter { c($0) }; p.sink { b($0) }.store(in: &cancellables) }")
        #expect(reason[0].hasPrefix("the closure of `filter` runs later here"))
    }

    @Test func `A sink is left whose variable holds a subject`() {
        let text =
            "let taps = PassthroughSubject<Int, E>()\n"
            + "func f() { let p = taps; p.sink { b($0) }.store(in: &cancellables) }"
        #expect(ported("\(set)\n\(text)").contains("let p = taps; p.sink"))
        #expect(reasons("\(set)\n\(text)")[0].hasPrefix("the variable holds a `StreamPromise`"))
    }

    @Test(arguments: ["c.events", "p.eraseToAnyPublisher()"])
    func `A sink whose variable has a value that can be rewritten is rewritten`(_ value: String) {
        #expect(
            ported("\(set)\nfunc f() { let p = \(value); p.sink { b($0) }.store(in: &cancellables) }")
                .contains("p.onSuccess(context: .immediate, cancelToken: token.token) { b($0) }"))
    }

    @Test func `A sink on a variable that is a subject gets its stream`() {
        let subject = "let p = PassthroughSubject<Int, E>()"
        #expect(
            ported("\(set)\nfunc f() { \(subject); p.sink { b($0) }.store(in: &cancellables) }")
                .contains("p.stream.onSuccess(context: .immediate, cancelToken: token.token) { b($0) }"))
    }

    @Test func `The value of a variable doesn't count for a property of its object`() {
        #expect(
            ported("\(set)\nfunc f() { let p = Model(aSubject); p.events.sink { b($0) }.store(in: &cancellables) }")
                .contains("p.events.onSuccess(context: .immediate, cancelToken: token.token) { b($0) }"))
    }
}
