import Porting
import SourceFiles
import Testing

@Suite struct `Subjects of other files` {
    private let taps = "class Service { let taps = PassthroughSubject<Int, Never>() }"
    private let levels = "class Meter { let taps = CurrentValueSubject<Int, Never>(1) }"

    /// A file of a run with other files.
    private func port(_ text: String, with others: String...) -> PortedFile? {
        let files = ([text] + others).enumerated()
            .map { SourceFile(path: "File\($0).swift", text: "import Combine\n" + $1) }
        return PortingTests.port(files, by: Porter(from: .combine)).first
    }

    private func reasons(_ file: PortedFile?) -> [String] {
        (file?.calls ?? []).compactMap { if case .left(let reason) = $0.outcome { reason } else { nil } }
    }

    private func sink(_ chain: String) -> String {
        "class Model {\n    private var set = Set<AnyCancellable>()\n    func f() { \(chain).sink { b($0) }.store(in: &set) }\n}"
    }

    @Test func `A sink gets the stream of a subject of another file`() {
        #expect(
            port(sink("service.taps"), with: taps)?.after.contains(
                "{ service.taps.stream.onSuccess(context: .immediate, cancelToken: token.token) { b($0) } }") ?? false)
    }

    @Test func `send on a subject of another file becomes success`() {
        #expect(
            port("func f() { service.taps.send(3) }", with: taps)?.after
                == "import SimpleFutures\nfunc f() { service.taps.success(3) }")
        #expect(
            port("extension Service { func f() { taps.send(3); self.taps.send(completion: .finished) } }", with: taps)?
                .after == "import SimpleFutures\nextension Service { func f() { taps.success(3); self.taps.finish() } }"
        )
    }

    @Test(arguments: ["service.taps", "service.taps.removeDuplicates()", "a.combineLatest(service.taps)"])
    func `A chain with a subject that another file keeps is left`(_ chain: String) {
        let file = port(sink(chain), with: levels)
        #expect(file?.after == file?.before)
        #expect(reasons(file).contains { $0.hasPrefix("the chain has a subject, which is left") })
    }

    @Test func `A subject of a file that isn't ported is left`() {
        let files = ["import Combine\n" + sink("service.taps"), "import Other\n" + taps].enumerated()
            .map { SourceFile(path: "File\($0).swift", text: $1) }
        let file = PortingTests.port(files, by: Porter(from: .combine)).first
        #expect(file?.after == file?.before)
    }

    @Test(arguments: [
        "class Meter { let taps = CurrentValueSubject<Int, Never>(1) }", "class Menu { let taps = [1, 2] }",
        "class Menu { let taps: AnyPublisher<Int, Never> }",
    ])
    func `A name that is declared with several types is left, and the note says so`(_ other: String) {
        for call in [sink("service.taps"), "func f() { service.taps.send(3) }"] {
            let file = port(call, with: taps, other)
            #expect(file?.after == file?.before)
            #expect(reasons(file).contains { $0.hasPrefix("`taps` is declared more than once") })
        }
        #expect(port("func f() { service.taps.map { $0 } }", with: taps, other)?.calls == [])
    }

    @Test(arguments: [
        ("let a = service.taps.removeDuplicates()", "it begins with a `StreamPromise`"),
        ("func f() { service.taps.send(3) }", "if it is a subject of another file"),
    ])
    func `A call on the promise of an earlier run is left`(_ text: String, note: String) {
        for (text, note) in [(text, note), (sink("service.taps"), "the variable holds a `StreamPromise`")] {
            let file = port(text, with: "class Service { let taps = StreamPromise<Int>(capacity: 0) }")
            #expect(file?.after == file?.before)
            #expect(reasons(file).contains { $0.hasPrefix(note) })
        }
    }

    @Test func `Private properties and local variables of other files don't count`() {
        for other in [
            "class Meter { private let taps = CurrentValueSubject<Int, Never>(1) }", "func f(taps: [Int]) {}",
            "func f() { let taps = [1] }",
        ] {
            #expect(
                port(sink("service.taps"), with: taps, other)?.after.contains("taps.stream.onSuccess") ?? false)
        }
    }

    @Test func `A variable of the file hides a property of another file`() {
        for text in [
            "func f() { let taps = [1]; taps.map { $0 } }", "func f() { g { taps in taps.map { $0 } } }",
            "func f() { for taps in all { taps.map { $0 } } }", "func f() { if let taps = all { taps.map { $0 } } }",
            "func f(taps: [Int]) { taps.map { $0 } }",
        ] {
            let file = port(text, with: taps)
            #expect(file?.after == file?.before)
        }
    }

    @Test func `The file's own property comes before those of other files`() {
        #expect(
            port("\(taps)\nfunc f() { service.taps.send(3) }", with: levels)?.after.contains("service.taps.success(3)")
                ?? false)
    }

    @Test func `A property named like another file's in a closure is no subject of the chain`() {
        #expect(
            port(sink("a.filter { $0.taps > 1 }.receive(on: DispatchQueue.main)"), with: levels)?
                .after.contains("a.filter { $0.taps > 1 }.onSuccess(cancelToken: token.token)") ?? false)
        let file = port(sink("a.flatMap { $0.taps }.receive(on: DispatchQueue.main)"), with: levels)
        #expect(file?.after == file?.before)
    }
}
