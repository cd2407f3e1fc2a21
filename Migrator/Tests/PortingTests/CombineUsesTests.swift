import Porting
import SourceFiles
import Testing

@Suite struct `Subjects that are passed on` {
    private func ported(_ use: String) -> String {
        PortingTests.ported(subject + use, from: .combine).replacing("import SimpleFutures\n", with: "")
            .replacing(subjectAfter, with: "")
    }
    private func notes(_ use: String) -> String {
        (port(subject + use, from: .combine)?.notes() ?? []).joined(separator: "\n")
    }

    private let subject = "let taps = PassthroughSubject<Int, Never>()\n"
    private let subjectAfter = "let taps = StreamPromise<Int>(capacity: 0)\n"

    @Test(arguments: [
        "consume(taps)", "let a = Publishers.Merge(taps, b)", "let a = [taps]",
        "func f() -> some Publisher { return taps }",
        "let a = b.flatMap { _ in taps }", "let a: AnyPublisher<Int, Never> = b ? taps : c", "let a = taps.description",
    ])
    func `A subject where a publisher is expected is left`(_ use: String) {
        #expect(ported(use) == use)
        #expect(notes(use).contains("`StreamPromise` now"))
        #expect(notes(use).contains("write `taps.stream`"))
    }

    @Test func `The values of a subject are left`() {
        let use = "func f() async { for await x in taps.values { a(x) } }"
        #expect(ported(use) == use)
        #expect(notes(use).contains("write `for try await x in taps.stream.values`"))
    }

    @Test(arguments: [
        "func f(_ taps: PassthroughSubject<Int, Never>) { g(taps: taps) }",
        "func f() -> PassthroughSubject<Int, Never> { taps }",
        "func g(_ a: PassthroughSubject<Int, Never>) {}\nfunc f() { g(taps) }", "func f() { self.taps = taps }",
        "func f() { if let taps = taps { taps.send(1) } }", "func f() { a { [taps] in taps.send(1) } }",
        "func f() { a.map { taps in b(taps) } }", "func f() { print(taps); if taps === a {} }",
    ])
    func `A subject where a subject or any value is expected stays`(_ use: String) {
        #expect(notes(use) == "")
        #expect(
            ported(use)
                == use.replacing("PassthroughSubject<Int, Never>", with: "StreamPromise<Int>").replacing(
                    "send", with: "success"))
    }

    @Test func `A subject is a stream in combineLatest, and a function that sends is renamed`() {
        #expect(
            ported("let a = taps.combineLatest(self.taps)") == "let a = taps.stream.combineLatest(self.taps.stream)")
        #expect(ported("numbers.forEach(taps.send)") == "numbers.forEach(taps.success)")
    }

    @Test func `A subject that subscribes is left, and its note says what to write`() {
        #expect(notes("a.subscribe(taps)").contains("`onSuccess(cancelToken: token.token) { taps.success($0) }`"))
        #expect(!notes("a.subscribe(taps)").contains("subscribe(on:"))
    }

    @Test func `A call in a condition is a call of its chain`() {
        let use = "let a = taps\n    #if DEBUG\n    .removeDuplicates()\n    #endif\n    .dropFirst()"
        #expect(notes(use) == "")
        #expect(
            ported(use)
                == "let a = taps.stream\n    #if DEBUG\n    .distinct()\n    #endif\n    .drop(1)")
    }
}
