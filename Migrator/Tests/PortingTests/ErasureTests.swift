import Porting
import SourceFiles
import Testing

@Suite struct `Properties and functions of the type AnyPublisher` {
    private let subject = "class Service {\n    private let subject = PassthroughSubject<Int, E>()\n    "
    private let stream = "class Service {\n    private let subject = StreamPromise<Int>(capacity: 0)\n    "

    private func ported(_ text: String) -> String { PortingTests.ported(text, from: .combine) }

    /// The files of a run.
    private func run(_ texts: String...) -> [PortedFile] {
        let files = texts.enumerated().map { SourceFile(path: "File\($0).swift", text: "import Combine\n" + $1) }
        return port(files, by: Porter(from: .combine))
    }

    private func reasons(_ file: PortedFile?) -> [String] {
        (file?.calls ?? []).compactMap { if case .left(let reason) = $0.outcome { reason } else { nil } }
    }

    @Test(arguments: [
        (
            "var taps: AnyPublisher<Int, E> { subject.eraseToAnyPublisher() }",
            "var taps: FutureStream<Int> { subject.stream }"
        ),
        (
            "var taps: AnyPublisher<Int, E> { get { return subject.share().eraseToAnyPublisher() } }",
            "var taps: FutureStream<Int> { get { return subject.stream } }"
        ),
        (
            "lazy var taps: AnyPublisher<Int, E> = subject.removeDuplicates().eraseToAnyPublisher()",
            "lazy var taps: FutureStream<Int> = subject.stream.distinct()"
        ),
        (
            "func taps() -> AnyPublisher<String, E> { subject.map { a($0) }.eraseToAnyPublisher() }",
            "func taps() -> FutureStream<String> { subject.stream.map { a($0) } }"
        ),
    ])
    func `A declaration whose value is a subject's stream has the type FutureStream`(_ theirs: String, _ ours: String) {
        #expect(ported("\(subject)\(theirs)\n}") == "\(stream)\(ours)\n}")
    }

    @Test func `A requirement of a protocol has the type of its implementations`() {
        let requirement = "protocol Taps { var taps: AnyPublisher<Int, E> { get } }"
        let service = "\(subject)var taps: AnyPublisher<Int, E> { subject.eraseToAnyPublisher() }\n}"
        #expect(run(requirement, service)[0].after.hasSuffix("{ var taps: FutureStream<Int> { get } }"))
        let mock = "class Mock { var taps: AnyPublisher<Int, E> { Just(1).eraseToAnyPublisher() } }"
        let left = run(requirement, service, mock)
        #expect(left[0].after == left[0].before)
        #expect(left[1].after.contains("var taps: AnyPublisher<Int, E> { subject.stream.eraseToAnyPublisher() }"))
        #expect(left[2].after == left[2].before)
        #expect(run(requirement)[0].after.contains("AnyPublisher"))
    }

    @Test(arguments: [
        "func f() -> AnyPublisher<Int, E> { a.eraseToAnyPublisher() }",
        "func f() -> AnyPublisher<Int, E> {\n    let b = 1\n    return a.removeDuplicates().eraseToAnyPublisher()\n}",
        "func f() -> some Publisher<Int, E> { a.eraseToAnyPublisher() }",
        "var a: AnyPublisher<Int, E>? { b ? Just(1).eraseToAnyPublisher() : nil }",
        "let a: AnyPublisher<Int, E> = b.tryMap { c($0) }.eraseToAnyPublisher()",
        "a.map { b -> AnyPublisher<Int, E> in return c.eraseToAnyPublisher() }",
        "var a: AnyPublisher<Int, E>\nfunc f() { self.a = b.eraseToAnyPublisher() }",
        "func f() -> AnyPublisher<Int, E> { Fail(error: e).eraseToAnyPublisher() }",
        "func f(a: AnyPublisher<Int, E>) { b = a.removeDuplicates() }",
    ])
    func `A chain stays in a place whose type is left`(_ text: String) {
        #expect(ported(text) == text)
        #expect(reasons(port(text, from: .combine)).contains { $0.contains("`AnyPublisher`, which is left") })
    }

    @Test(arguments: [
        ("subject.eraseToAnyPublisher()", "write `FutureStream<T>` there"),
        ("subject.map { a($0) }.eraseToAnyPublisher()", "write `FutureStream<T>` there"),
        ("subject.stream.eraseToAnyPublisher()", "write `FutureStream<T>` there"),
        ("taps.dropFirst().eraseToAnyPublisher()", "write `FutureStream<T>` there"),
        ("subject.first().eraseToAnyPublisher()", "write `FutureStream<T>` or `Future<T>` there"),
        ("load().eraseToAnyPublisher()", "write `FutureStream<T>` or `Future<T>` there"),
    ])
    func `The note names the types that a chain in a place whose type is left can have`(_ chain: String, note: String) {
        let taps = "var taps: AnyPublisher<Int, E> { subject.eraseToAnyPublisher() }"
        let text = "\(subject)\(taps)\n    func f() -> AnyPublisher<Int, E> {\n let a = 1\n return \(chain)\n }\n}"
        #expect(reasons(port(text, from: .combine)).contains { $0.contains(note) })
    }

    @Test(arguments: [
        "$name.flatMap { load($0).removeDuplicates().eraseToAnyPublisher() }",
        "$name.flatMap({ a in return load(a).eraseToAnyPublisher() }).share()",
        "$name.map { a in\n    if a { return Just(1).eraseToAnyPublisher() }\n    return b.eraseToAnyPublisher()\n}",
    ])
    func `A chain in a closure of a chain that stays is left`(_ text: String) {
        #expect(ported("let a = " + text) == "let a = " + text)
    }

    @Test func `A chain in a closure of another chain is replaced`() {
        #expect(ported("let a = b.flatMap { load($0).eraseToAnyPublisher() }") == "let a = b.flatMap { load($0) }")
        #expect(ported("$a.sink { b = c.eraseToAnyPublisher() }").hasSuffix("$a.sink { b = c }"))
    }

    @Test func `A sink on a property whose type is left is left too`() {
        let model = """
            class Model {
                private var set = Set<AnyCancellable>()
                func f() { service.taps.sink { b($0) }.store(in: &set) }
            }
            """
        for other in [
            "class Service { var taps: AnyPublisher<Int, E> { a.eraseToAnyPublisher() } }",
            "protocol Taps { var taps: AnyPublisher<Int, E> { get } }",
        ] {
            let file = run(model, other)[0]
            #expect(file.after == file.before)
            #expect(
                reasons(file).contains {
                    $0.hasPrefix("`taps` is an `AnyPublisher`, which is left: with a `FutureStream`")
                })
        }
        let service = "\(subject)var taps: AnyPublisher<Int, E> { subject.eraseToAnyPublisher() }\n}"
        #expect(
            run(model, service)[0].after.contains(
                "service.taps.onSuccess(context: .immediate, cancelToken: token.token) { b($0) }"))
        let file = run(model, service, "class Menu { let taps = [1, 2] }")[0]
        #expect(file.after == file.before)
    }

    @Test func `A function named publisher says nothing about those of other types`() {
        let other =
            "class Settings { func publisher(for key: Key) -> AnyPublisher<Int, E> { a.eraseToAnyPublisher() } }"
        let chain = "center.publisher(for: name).sink { b($0) }.store(in: &set)"
        let file = run("class Model { private var set = Set<AnyCancellable>()\nfunc f() { \(chain) } }", other)[0]
        #expect(reasons(file).contains { $0.hasPrefix("`publisher` before it is left") })
    }
}
